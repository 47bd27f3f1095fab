/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneratorsTest {
    @Test
    void theCauchyRowsOfRs63AreHdfs() {
        assertThat(Generators.hdfsCauchy(new CodeParameters(6, 3)))
                .isEqualTo(Matrix.ofRows(
                        GaloisField.bytes(),
                        new int[] {122, 186, 71, 167, 142, 244},
                        new int[] {186, 122, 167, 71, 244, 142},
                        new int[] {173, 157, 221, 152, 61, 170}));
    }

    @Test
    void theVandermondeRowsArePowersOfPowersOfTwo() {
        assertThat(Generators.isalVandermonde(new CodeParameters(4, 3)))
                .isEqualTo(Matrix.ofRows(
                        GaloisField.bytes(), new int[] {1, 1, 1, 1}, new int[] {1, 2, 4, 8}, new int[] {1, 4, 16, 64}));
    }

    @ParameterizedTest
    @CsvSource({"254, 2", "32, 3", "21, 4"})
    void everySafeVandermondeMatrixIsSuperregular(int k, int r) {
        assertThat(singularMinors(Generators.isalVandermonde(new CodeParameters(k, r))))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"6, 3", "10, 4", "12, 4", "5, 5", "3, 6"})
    void everyCauchyMatrixIsSuperregular(int k, int r) {
        assertThat(singularMinors(Generators.hdfsCauchy(new CodeParameters(k, r))))
                .isZero();
    }

    /** The limits are not caution: just beyond the limit of r = 4 there is a loss that cannot be repaired. */
    @Test
    void beyondTheLimitVandermondeMatricesHaveSingularMinors() {
        GaloisField field = GaloisField.bytes();
        assertThat(singularMinors(Matrix.of(field, 4, 22, (i, j) -> field.power(i * j))))
                .isPositive();
    }

    @ParameterizedTest
    @CsvSource({"33, 3", "22, 4", "2, 5", "10, 16"})
    void unsafeVandermondeShapesAreRefused(int k, int r) {
        assertThatThrownBy(() -> Generators.isalVandermonde(new CodeParameters(k, r)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only for r <= 2, for r = 3 with k <= 32 and for r = 4 with k <= 21")
                .hasMessageContaining("got (" + k + "," + r + "). Use the Cauchy generator (rs) instead");
    }

    private static int singularMinors(Matrix matrix) {
        int[] singular = {0};
        for (int size = 1; size <= Math.min(matrix.rows(), matrix.columns()); size++) {
            int minor = size;
            Stripes.combinations(
                    matrix.rows(),
                    minor,
                    rows -> Stripes.combinations(
                            matrix.columns(), minor, columns -> singular[0] += isSingular(matrix, rows, columns)));
        }
        return singular[0];
    }

    private static int isSingular(Matrix matrix, int[] rows, int[] columns) {
        try {
            Matrix.of(matrix.field(), rows.length, rows.length, (i, j) -> matrix.get(rows[i], columns[j]))
                    .inverse();
            return 0;
        } catch (ArithmeticException e) {
            return 1;
        }
    }

    @Test
    void shapesAreChecked() {
        assertThatCode(() -> new CodeParameters(255, 1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> new CodeParameters(250, 7))
                .hasMessageContaining("k + r <= 256")
                .hasMessageContaining("k = 250, r = 7");
        assertThatThrownBy(() -> new CodeParameters(0, 2)).hasMessageContaining("got k = 0, r = 2");
        assertThatThrownBy(() -> new CodeParameters(2, 0)).hasMessageContaining("got k = 2, r = 0");
        assertThat(new CodeParameters(6, 3)).hasToString("(6,3)");
    }
}
