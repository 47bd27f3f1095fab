/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Arrays;

/** Products of words, each of which is four elements of GF(2^8) with the polynomial 0x11d. */
final class FieldWords {
    private static final int TOP_BITS = 0x80808080;
    private static final int POLYNOMIALS = 0x1d1d1d1d;

    private FieldWords() {}

    /**
     * Multiplies all bytes of an array by an element.
     *
     * @param factor 1 to 255
     * @param scratch overwritten; as long as {@code words}
     */
    static void multiply(int[] words, int factor, int[] scratch) {
        if (factor == 1) {
            return;
        }
        System.arraycopy(words, 0, scratch, 0, words.length);
        Arrays.fill(words, 0);
        for (int bits = factor; bits != 0; bits >>>= 1) {
            if ((bits & 1) != 0) {
                for (int i = 0; i < words.length; i++) {
                    words[i] ^= scratch[i];
                }
            }
            for (int i = 0; i < words.length; i++) {
                int word = scratch[i];
                int top = word & TOP_BITS;
                // Of a byte whose top bit is set, top - (top >>> 7) is 0x7f.
                scratch[i] = ((word ^ top) << 1) ^ ((top - (top >>> 7)) & POLYNOMIALS);
            }
        }
    }
}
