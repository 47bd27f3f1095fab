/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * What a task does with its segment.
 *
 * @param mode how the segment gets its predictions
 * @param blocks id of the blocks of this execution; {@link #NO_BLOCKS} if none are kept
 * @param sources places in the stripe of the segments to decode from, as a set of bits
 * @param lost number of segments of the stripe that are not among them
 */
public record Instruction(Mode mode, int blocks, int sources, int lost) {

    /** How a segment gets its predictions. */
    public enum Mode {
        /** By the model. */
        COMPUTE,
        /** From the other segments of its stripe. */
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

    /** The numbers that cross. */
    long[] toNumbers() {
        return new long[] {mode.ordinal(), blocks, sources, lost};
    }

    static Instruction of(long[] numbers) {
        return new Instruction(MODES[(int) numbers[0]], (int) numbers[1], (int) numbers[2], (int) numbers[3]);
    }
}
