/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MatrixTest {
    @Test
    void rowsAreCheckedAndCopied() {
        GaloisField field = GaloisField.ofWidth(4);
        assertThatThrownBy(() -> Matrix.ofRows(field)).hasMessage("a matrix must have at least one row, got none");
        assertThatThrownBy(() -> Matrix.ofRows(field, new int[] {1, 2}, new int[] {1}))
                .hasMessage("the rows of a matrix must be equally long, got 2 and 1 entries");
        assertThatThrownBy(() -> Matrix.ofRows(field, new int[] {16}))
                .hasMessage("an entry must be an element of GF(2^4)/0x13, 0..15, got 16");
        int[] row = {1, 2};
        Matrix matrix = Matrix.ofRows(field, row);
        row[0] = 9;
        matrix.toRows()[0][1] = 9;
        assertThat(matrix).isEqualTo(Matrix.ofRows(field, new int[] {1, 2}));
    }
}
