/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * What a task is to do with its unit.
 *
 * @param mode what to do
 * @param blocks id under which the blocks of this execution are kept, {@link #NO_BLOCKS} if none are
 * @param sources units of the stripe to decode from, as a set of bits
 * @param lost how many units of the stripe are not among them
 */
public record Instruction(Mode mode, int blocks, int sources, int lost) {

    /** How a unit gets its predictions. */
    public enum Mode {
        /** By the model. */
        COMPUTE,
        /** From the other units of its stripe. */
        DECODE,
        /** An earlier attempt predicted them: they are kept as a block. */
        FETCH_COMPUTED,
        /** An earlier attempt reconstructed them: they are kept as a block. */
        FETCH_DECODED,
        /** Not at all: the deadline has passed. */
        GIVE_UP
    }

    /** Nothing is kept. */
    public static final int NO_BLOCKS = -1;

    private static final Mode[] MODES = Mode.values();

    /** As numbers: replies are read before the classes of an application are known. */
    long[] toNumbers() {
        return new long[] {mode.ordinal(), blocks, sources, lost};
    }

    static Instruction of(long[] numbers) {
        return new Instruction(MODES[(int) numbers[0]], (int) numbers[1], (int) numbers[2], (int) numbers[3]);
    }
}
