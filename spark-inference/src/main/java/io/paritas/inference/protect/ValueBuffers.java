/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Buffers for the values of a network: one that is read no more is filled with a later value. A step never fills a buffer that it
 * reads.
 *
 * @param numbers the number of the buffer of each value; value 0, the input, has buffer 0
 * @param count how many there are
 */
record ValueBuffers(int[] numbers, int count) {

    /**
     * Finds buffers.
     *
     * @param steps with numbers of values
     * @param values how many there are
     * @param result the value to keep until the end
     */
    static ValueBuffers of(List<NetworkStep> steps, int values, int result) {
        int[] lastStep = new int[values];
        for (int step = 0; step < steps.size(); step++) {
            int now = step;
            touched(steps.get(step)).forEach(value -> lastStep[value] = now);
        }
        lastStep[result] = steps.size();
        int[] buffers = new int[values];
        int count = 1;
        Deque<Integer> free = new ArrayDeque<>();
        for (int step = 0; step < steps.size(); step++) {
            int now = step;
            buffers[steps.get(step).output()] = free.isEmpty() ? count++ : free.pop();
            touched(steps.get(step))
                    .filter(value -> lastStep[value] == now)
                    .forEach(value -> free.push(buffers[value]));
        }
        return new ValueBuffers(buffers, count);
    }

    /** The values that a step reads or makes, each once. */
    private static IntStream touched(NetworkStep step) {
        return IntStream.concat(step.inputs().stream().mapToInt(Integer::intValue), IntStream.of(step.output()))
                .distinct();
    }
}
