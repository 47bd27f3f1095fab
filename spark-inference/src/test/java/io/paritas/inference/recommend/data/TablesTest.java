/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TablesTest {
    @Test
    void everyRowBelongsToOneTable() {
        Tables tables = Tables.of(3, 1, 4);
        int[] wanted = {0, 0, 0, 1, 2, 2, 2, 2};
        for (int id = 0; id < wanted.length; id++) {
            assertThat(tables.table(id)).as("table of row %d", id).isEqualTo(wanted[id]);
        }
        assertThat(tables.rows()).isEqualTo(8);
        assertThat(tables.rows(2)).isEqualTo(4);
        assertThat(tables.first(2)).isEqualTo(4);
        assertThat(tables).hasToString("[3, 1, 4]").isNotEqualTo(Tables.equal(3, 3));
        assertThat(Tables.equal(2, 5)).isEqualTo(Tables.of(5, 5)).hasSameHashCodeAs(Tables.of(5, 5));
    }

    @Test
    void whatIsNoTableIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(Tables::of)
                .withMessage("at least 1 embedding table with at least 1 row is needed, got []");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tables.of(5, 0))
                .withMessage("at least 1 embedding table with at least 1 row is needed, got [5, 0]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tables.of(Long.MAX_VALUE, 1))
                .withMessage("all embedding tables together must have at most 9223372036854775807 rows, got"
                        + " [9223372036854775807, 1]");
    }
}
