/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowBasisTest {
    /** Half of the rows are combinations of others, so that both answers come up often. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7, 8})
    void theCoefficientsMakeTheRowOfTheAddedOnes(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        Random random = Stripes.random("basis", w);
        for (int attempt = 0; attempt < 100; attempt++) {
            int columns = 1 + random.nextInt(8);
            RowBasis basis = new RowBasis(field, columns);
            List<int[]> added = new ArrayList<>();
            for (int i = 0; i < 2 * columns; i++) {
                int[] row = random.nextBoolean() || added.isEmpty()
                        ? random.ints(columns, 0, field.size()).toArray()
                        : combination(
                                field,
                                columns,
                                random.ints(added.size(), 0, field.size()).toArray(),
                                added);
                basis.coefficients(row)
                        .ifPresent(coefficients -> assertThat(combination(field, columns, coefficients, added))
                                .isEqualTo(row));
                boolean known = basis.coefficients(row).isPresent();
                assertThat(basis.add(row)).isEqualTo(!known);
                if (!known) {
                    added.add(row);
                }
                assertThat(basis.rank()).isEqualTo(added.size()).isLessThanOrEqualTo(columns);
                assertThat(basis.coefficients(row)).isPresent();
            }
        }
    }

    private static int[] combination(GaloisField field, int columns, int[] coefficients, List<int[]> rows) {
        int[] sum = new int[columns];
        for (int i = 0; i < coefficients.length; i++) {
            for (int j = 0; j < sum.length; j++) {
                sum[j] ^= field.multiply(coefficients[i], rows.get(i)[j]);
            }
        }
        return sum;
    }

    @Test
    void parallelRowsAreDependent() {
        RowBasis basis = new RowBasis(GaloisField.bytes(), 2);
        assertThat(basis.add(new int[] {1, 2})).isTrue();
        assertThat(basis.add(new int[] {2, 4})).isFalse();
        assertThat(basis.coefficients(new int[] {2, 4})).hasValue(new int[] {2});
        assertThat(basis.coefficients(new int[] {0, 1})).isEmpty();
    }
}
