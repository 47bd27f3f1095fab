/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/** How rows become their parity, word by word: a word is the bits of a float. */
public enum Parity {
    /** The exclusive or of the bits: what is decoded is what was lost, bit for bit. */
    XOR {
        @Override
        void difference(int[] before, int[] after, int[] delta) {
            for (int i = 0; i < delta.length; i++) {
                delta[i] = before[i] ^ after[i];
            }
        }

        @Override
        void add(int[] words, int from, int[] other, int otherFrom, int length) {
            for (int i = 0; i < length; i++) {
                words[from + i] ^= other[otherFrom + i];
            }
        }

        @Override
        void subtract(int[] words, int from, int[] other, int otherFrom, int length) {
            add(words, from, other, otherFrom, length);
        }
    },

    /** The sum of the floats, as in the thesis: what is decoded differs from what was lost by what was rounded. */
    SUM {
        @Override
        void difference(int[] before, int[] after, int[] delta) {
            for (int i = 0; i < delta.length; i++) {
                delta[i] = bits(number(after[i]) - number(before[i]));
            }
        }

        @Override
        void add(int[] words, int from, int[] other, int otherFrom, int length) {
            for (int i = 0; i < length; i++) {
                words[from + i] = bits(number(words[from + i]) + number(other[otherFrom + i]));
            }
        }

        @Override
        void subtract(int[] words, int from, int[] other, int otherFrom, int length) {
            for (int i = 0; i < length; i++) {
                words[from + i] = bits(number(words[from + i]) - number(other[otherFrom + i]));
            }
        }
    };

    private static float number(int bits) {
        return Float.intBitsToFloat(bits);
    }

    private static int bits(float number) {
        return Float.floatToRawIntBits(number);
    }

    /** What {@link #add added} to what was before, there and in the parity, is the update. */
    abstract void difference(int[] before, int[] after, int[] delta);

    /** Adds so many words to others. */
    abstract void add(int[] words, int from, int[] other, int otherFrom, int length);

    /** Takes so many words from others. */
    abstract void subtract(int[] words, int from, int[] other, int otherFrom, int length);
}
