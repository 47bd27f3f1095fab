/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixTest {
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7, 8})
    void theInverseTimesTheMatrixIsTheIdentity(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        Random random = Stripes.random("inverse", w);
        int regular = 0;
        for (int attempt = 0; attempt < 200; attempt++) {
            int size = 1 + random.nextInt(8);
            Matrix matrix = Matrix.of(field, size, size, (i, j) -> random.nextInt(field.size()));
            try {
                assertThat(matrix.inverse().times(matrix)).isEqualTo(Matrix.identity(field, size));
                assertThat(matrix.times(matrix.inverse())).isEqualTo(Matrix.identity(field, size));
                regular++;
            } catch (ArithmeticException singular) {
                assertThat(singular).hasMessageStartingWith("A singular matrix has no inverse");
            }
        }
        assertThat(regular).as("seed %d", Stripes.SEED).isGreaterThan(150);
    }

    @Test
    void aSingularMatrixHasNoInverse() {
        Matrix matrix = Matrix.ofRows(GaloisField.bytes(), new int[] {1, 2}, new int[] {2, 4});
        assertThatThrownBy(matrix::inverse)
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("A singular matrix has no inverse: [[1, 2], [2, 4]]");
    }

    @Test
    void rowsAreCheckedAndCopied() {
        GaloisField field = GaloisField.ofWidth(4);
        assertThatThrownBy(() -> Matrix.ofRows(field)).hasMessage("A matrix has at least one row; got none");
        assertThatThrownBy(() -> Matrix.ofRows(field, new int[] {1, 2}, new int[] {1}))
                .hasMessage("The rows of a matrix are equally long; got 2 and 1 entries");
        assertThatThrownBy(() -> Matrix.ofRows(field, new int[] {16}))
                .hasMessage("An entry is an element of GF(2^4)/0x13, 0..15; got 16");
        int[] row = {1, 2};
        Matrix matrix = Matrix.ofRows(field, row);
        row[0] = 9;
        matrix.toRows()[0][1] = 9;
        assertThat(matrix).isEqualTo(Matrix.ofRows(field, new int[] {1, 2}));
    }
}
