/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BitMatrixTest {
    /** For every element e and every symbol x of every field: block(e) · bits(x) = bits(e · x). */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void theBlockOfAnElementMultipliesByIt(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        for (int e = 0; e < field.size(); e++) {
            BitMatrix block = BitMatrix.of(Matrix.ofRows(field, new int[] {e}));
            for (int x = 0; x < field.size(); x++) {
                assertThat(times(block, x)).isEqualTo(field.multiply(e, x));
            }
        }
    }

    private static int times(BitMatrix matrix, int bits) {
        int product = 0;
        for (int row = 0; row < matrix.rows(); row++) {
            int sum = 0;
            for (int column = 0; column < matrix.columns(); column++) {
                sum ^= matrix.get(row, column) ? bits >> column & 1 : 0;
            }
            product |= sum << row;
        }
        return product;
    }

    @Test
    void everyEntryHasABlock() {
        BitMatrix bits = BitMatrix.of(Generators.xor(3));
        assertThat(bits.rows()).isEqualTo(8);
        assertThat(bits.columns()).isEqualTo(24);
        assertThat(bits.ones()).isEqualTo(24);
        assertThat(bits.get(2, 10)).isTrue();
        assertThat(bits.get(2, 11)).isFalse();
    }
}
