/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/**
 * How a vector kernel runs a program; every schedule computes the same bytes, at another speed.
 *
 * @param timesX the instructions for "times x"
 * @param optimisation what is done to the program first
 * @param vectors how many vectors of each region one turn of the loop computes
 * @param outputs how many outputs one pass over the inputs computes at most
 * @param tile how many bytes of each region are computed before the next ones, a multiple of {@value #TILE_STEP}
 */
record Schedule(TimesX timesX, Optimisation optimisation, int vectors, int outputs, int tile) {
    static final int TILE_STEP = 1024;

    /** How the bytes that lose their high bit to "times x" are found; what is fastest depends on CPU and compiler. */
    enum TimesX {
        /** Compare with zero, and blend: two instructions where comparisons end in mask registers, more elsewhere. */
        COMPARE,
        /** Clamp to -1..0, which is a mask, and cut out the polynomial: three instructions everywhere. */
        CLAMP
    }

    /** What is done to a program before it is compiled. */
    enum Optimisation {
        /** Nothing: Horner's rule, row by row. */
        NONE,
        /** The cheapest program where one instruction xors two vectors. */
        BINARY,
        /** The cheapest program where one instruction xors three vectors. */
        TERNARY
    }

    private static final int CACHE = 32 * 1024;
    private static final int AVX_512 = 512;
    private static final int MASK_REGISTERS_SINCE = 18;

    /** What is good on most machines, for vectors of so many bits. */
    static Schedule standard(Program program, int bits) {
        boolean comparesInMasks = bits < AVX_512 || Runtime.version().feature() >= MASK_REGISTERS_SINCE;
        int share = CACHE / (program.inputs() + program.outputs());
        return new Schedule(
                comparesInMasks ? TimesX.COMPARE : TimesX.CLAMP,
                bits < AVX_512 ? Optimisation.BINARY : Optimisation.TERNARY,
                1,
                8,
                Math.max(TILE_STEP, share / TILE_STEP * TILE_STEP));
    }
}
