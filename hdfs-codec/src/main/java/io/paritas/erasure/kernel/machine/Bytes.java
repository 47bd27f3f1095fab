/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Multiplication by a constant of GF(2<sup>8</sup>)/0x11d, in the forms that instructions take. */
final class Bytes {
    private static final int REDUCTION = 0x11d;
    private static final int FIELD_BITS = 8;
    private static final int NIBBLES = 16;

    private Bytes() {}

    static int product(int a, int b) {
        int product = 0;
        for (int bit = FIELD_BITS - 1; bit >= 0; bit--) {
            product <<= 1;
            product ^= (product >> FIELD_BITS) * REDUCTION;
            product ^= (b >> bit & 1) * a;
        }
        return product;
    }

    /** The 8×8 bit matrix that multiplies by a constant: row i, which makes bit i, is byte 7 - i. */
    static byte[] matrix(int constant) {
        long matrix = 0;
        for (int bit = 0; bit < FIELD_BITS; bit++) {
            int column = product(constant, 1 << bit);
            for (int row = 0; row < FIELD_BITS; row++) {
                matrix |= (long) (column >> row & 1) << ((FIELD_BITS - 1 - row) * FIELD_BITS + bit);
            }
        }
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(matrix)
                .array();
    }

    /**
     * The products of a constant with 16 bytes, repeated to the width of a vector.
     *
     * @param shift 0 for the bytes 0 to 15, 4 for the multiples of 16
     */
    static byte[] table(int constant, int shift, int width) {
        byte[] table = new byte[width];
        for (int i = 0; i < width; i++) {
            table[i] = (byte) product(constant, i % NIBBLES << shift);
        }
        return table;
    }
}
