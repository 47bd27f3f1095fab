/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;

/** How parity is computed from rows, word by word. A word is the bits of a float. */
@PublicApi
public enum Parity {
    /** The exclusive or of the bits: decoding is exact, bit for bit, whatever the numbers are. */
    XOR {
        @Override
        void difference(float[] before, float[] after, int[] delta) {
            for (int i = 0; i < delta.length; i++) {
                delta[i] = bits(before[i]) ^ bits(after[i]);
            }
        }

        @Override
        void round(float[] before, float[] after, int[] delta) {
            // A difference added to the old row is the new row, bit for bit.
        }

        @Override
        void add(int[] words, int[] other) {
            for (int i = 0; i < other.length; i++) {
                words[i] ^= other[i];
            }
        }

        @Override
        void add(int[] words, int from, int[] other, int otherFrom, int length) {
            for (int i = 0; i < length; i++) {
                words[from + i] ^= other[otherFrom + i];
            }
        }

        @Override
        void subtract(int[] words, int[] other) {
            add(words, other);
        }
    },

    /**
     * The sum of the floats, as in the thesis: decoding is exact up to rounding. The error of a decoded number is up to
     * about (updates + k) * 2^-23 times the greatest number that its stripe has had in its place, so one great number
     * spoils the other rows of its stripe. A push with a gradient that is not from -2^40 to 2^40 is refused, because
     * sums could become infinite, and rows that are decoded from them NaN. Choose {@link #XOR} where numbers may be
     * great.
     */
    SUM {
        @Override
        void difference(float[] before, float[] after, int[] delta) {
            for (int i = 0; i < delta.length; i++) {
                delta[i] = bits(after[i] - before[i]);
            }
        }

        @Override
        void round(float[] before, float[] after, int[] delta) {
            for (int i = 0; i < delta.length; i++) {
                after[i] = before[i] + number(delta[i]);
            }
        }

        @Override
        void add(int[] words, int[] other) {
            add(words, 0, other, 0, other.length);
        }

        @Override
        void add(int[] words, int from, int[] other, int otherFrom, int length) {
            for (int i = 0; i < length; i++) {
                words[from + i] = bits(number(words[from + i]) + number(other[otherFrom + i]));
            }
        }

        @Override
        void subtract(int[] words, int[] other) {
            for (int i = 0; i < other.length; i++) {
                words[i] = bits(number(words[i]) - number(other[i]));
            }
        }
    };

    private static float number(int bits) {
        return Float.intBitsToFloat(bits);
    }

    private static int bits(float number) {
        return Float.floatToRawIntBits(number);
    }

    /** Computes the difference of an update: {@link #add} applies it to the old row and to its parity alike. */
    abstract void difference(float[] before, float[] after, int[] delta);

    /** Makes {@code after} what {@link #add} makes of {@code before} and the difference. */
    abstract void round(float[] before, float[] after, int[] delta);

    /**
     * Adds arrays of the same length. From their beginning on: only such loops are compiled to vector instructions.
     */
    abstract void add(int[] words, int[] other);

    /** Adds {@code length} words of {@code other} to {@code words}. */
    abstract void add(int[] words, int from, int[] other, int otherFrom, int length);

    /** Subtracts an array from another of the same length. */
    abstract void subtract(int[] words, int[] other);
}
