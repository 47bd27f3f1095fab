/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** The multiplication table of GF(2<sup>8</sup>)/0x11d, for the optimiser. Made when it is first used. */
final class MultiplicationTable {
    private static final int FIELD = 256;
    private static final int HIGH_BIT = 0x80;
    private static final int REDUCTION = 0x11d;

    /** a · b at [a][b]. */
    static final int[][] PRODUCT = new int[FIELD][FIELD];

    static {
        for (int a = 0; a < FIELD; a++) {
            for (int b = 0; b < FIELD; b++) {
                PRODUCT[a][b] = multiply(a, b);
            }
        }
    }

    private MultiplicationTable() {}

    private static int multiply(int a, int b) {
        int product = 0;
        for (int bit = HIGH_BIT; bit > 0; bit >>= 1) {
            product = (product << 1) ^ ((product & HIGH_BIT) == 0 ? 0 : REDUCTION) ^ ((b & bit) == 0 ? 0 : a);
        }
        return product;
    }

    /** The element whose product with a is 1; a is not 0. */
    static int inverse(int a) {
        for (int b = 1; b < FIELD; b++) {
            if (PRODUCT[a][b] == 1) {
                return b;
            }
        }
        throw new ArithmeticException("0 has no inverse");
    }
}
