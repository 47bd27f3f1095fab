/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Locale;
import java.util.Map;

/**
 * The way in which a vector kernel runs a program. All schedules compute the same bytes, at different speeds.
 *
 * @param timesX instructions for "times x"
 * @param optimisation optimisation of the program before it is compiled
 * @param vectors vectors of each region in one turn of the loop
 * @param outputs most outputs of one pass over the inputs
 * @param tile bytes of each region computed before the next ones, a multiple of {@value #TILE_STEP}
 */
record Schedule(TimesX timesX, Optimisation optimisation, int vectors, int outputs, int tile) {
    static final int TILE_STEP = 1024;
    static final int MAX_VECTORS = 4;
    static final int MAX_OUTPUTS = 16;
    static final int MAX_TILE = 1024 * 1024;

    private static final int STANDARD_TILE = 32 * 1024;
    private static final int AVX_512 = 512;

    /** The way to find bytes whose high bit is set. The fastest one depends on CPU and compiler. */
    enum TimesX {
        /** Compare with zero, and blend: two instructions where comparisons end in mask registers, more elsewhere. */
        COMPARE,
        /** Clamp to -1..0, which is a mask, and cut out the polynomial: three instructions everywhere. */
        CLAMP
    }

    /** The optimisation of a program before it is compiled. */
    enum Optimisation {
        /** Nothing: Horner's rule, row by row. */
        NONE,
        /** The cheapest program where one instruction xors two vectors. */
        BINARY,
        /** The cheapest program where one instruction xors three vectors. */
        TERNARY
    }

    /**
     * @throws IllegalArgumentException if a number is out of range
     */
    Schedule {
        check("vectors", 1, MAX_VECTORS, vectors);
        check("outputs", 1, MAX_OUTPUTS, outputs);
        check("tile", TILE_STEP, MAX_TILE, tile);
        if (Integer.bitCount(vectors) != 1 || tile % TILE_STEP != 0) {
            throw new IllegalArgumentException("vectors must be a power of two and tile a multiple of " + TILE_STEP
                    + ", got vectors = " + vectors + ", tile = " + tile);
        }
    }

    private static void check(String name, int least, int most, int value) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", got " + value);
        }
    }

    /** Returns a schedule that is good on most machines, for vectors of this many bits. */
    static Schedule standard(int bits) {
        return new Schedule(
                TimesX.CLAMP,
                bits < AVX_512 ? Optimisation.BINARY : Optimisation.TERNARY,
                1,
                MAX_OUTPUTS,
                STANDARD_TILE);
    }

    /**
     * Reads a schedule that {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if the text is no schedule
     */
    static Schedule parse(String text) {
        Map<String, String> fields = TuningFile.fields(text, "timesX", "optimisation", "vectors", "outputs", "tile");
        return new Schedule(
                TimesX.valueOf(fields.get("timesX").toUpperCase(Locale.ROOT)),
                Optimisation.valueOf(fields.get("optimisation").toUpperCase(Locale.ROOT)),
                Integer.parseInt(fields.get("vectors")),
                Integer.parseInt(fields.get("outputs")),
                Integer.parseInt(fields.get("tile")));
    }

    /** One line of fields, such as {@code timesX=clamp optimisation=ternary vectors=1 outputs=16 tile=3072}. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "timesX=%s optimisation=%s vectors=%d outputs=%d tile=%d",
                timesX.name().toLowerCase(Locale.ROOT),
                optimisation.name().toLowerCase(Locale.ROOT),
                vectors,
                outputs,
                tile);
    }
}
