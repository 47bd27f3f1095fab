/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BitMatrixTest {
    /** For every element e and every symbol x of every field: block(e) · bits(x) = bits(e · x), highest bits first. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void theBlockOfAnElementMultipliesByIt(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        for (int e = 0; e < field.size(); e++) {
            List<BitSet> block = BitMatrix.rows(Matrix.ofRows(field, new int[] {e}));
            for (int x = 0; x < field.size(); x++) {
                assertThat(times(block, x, w)).isEqualTo(field.multiply(e, x));
            }
        }
    }

    private static int times(List<BitSet> block, int symbol, int w) {
        int product = 0;
        for (BitSet row : block) {
            long ones = row.stream()
                    .filter(strip -> ((symbol >> (w - 1 - strip)) & 1) != 0)
                    .count();
            product = (product << 1) | (int) (ones & 1);
        }
        return product;
    }

    @Test
    void everyEntryHasABlock() {
        List<BitSet> rows = BitMatrix.rows(Generators.xor(3));
        assertThat(rows).hasSize(8);
        assertThat(rows.get(2)).hasToString("{2, 10, 18}");
    }
}
