/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.Arrays;

/**
 * An instruction on its way to a task. It crosses as the numbers of the instruction, followed by the epoch.
 *
 * @param epoch of the driver's shuffle outputs: executors with an older one forget where the outputs are
 */
record Instructed(Instruction instruction, long epoch) implements Reply {

    @Override
    public long[] encode() {
        long[] numbers = instruction.toNumbers();
        long[] reply = Arrays.copyOf(numbers, numbers.length + 1);
        reply[numbers.length] = epoch;
        return reply;
    }

    static Instructed decode(long... numbers) {
        return new Instructed(Instruction.of(numbers), numbers[numbers.length - 1]);
    }
}
