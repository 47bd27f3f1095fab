/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A {@link Matrix} over GF(2<sup>w</sup>) as a matrix over GF(2), whose product with strips needs xors only. Blömer et al., "An XOR-based
 * erasure-resilient coding scheme", 1995.
 *
 * <p>Strip b of unit j is column w · j + b and holds the bits of weight α<sup>w − 1 − b</sup>, the highest first. The other order of bits
 * gives an equally good code. But the order decides which of two equally frequent pairs a compression takes, and so the number of
 * xors. The published programs and counts are those of this order.
 */
public final class BitMatrix {
    private BitMatrix() {}

    /** For each strip that the product makes, the strips whose xor it is. */
    public static List<BitSet> rows(Matrix matrix) {
        int w = matrix.field().w();
        return IntStream.range(0, matrix.rows() * w)
                .mapToObj(row -> row(matrix, row / w, w - 1 - row % w))
                .toList();
    }

    /** The strips that contribute to one bit of the product's symbols. */
    private static BitSet row(Matrix matrix, int row, int bit) {
        GaloisField field = matrix.field();
        int w = field.w();
        BitSet strips = new BitSet(matrix.columns() * w);
        for (int strip = 0; strip < matrix.columns() * w; strip++) {
            int product = field.multiply(matrix.get(row, strip / w), field.power(w - 1 - strip % w));
            strips.set(strip, (product >> bit & 1) != 0);
        }
        return strips;
    }
}
