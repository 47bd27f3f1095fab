/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelSpecTest {
    private static ModelSpec model(int servers, Redundancy redundancy, long rows) {
        TableSpec table = new TableSpec(rows, 1, new Optimizer.Sgd(1), new Initializer(0, 0, 0));
        return new ModelSpec(servers, redundancy, List.of(table), List.of());
    }

    /** A replacement of such a server would not know which of its rows it misses. */
    @ParameterizedTest
    @ValueSource(longs = {3L << 31, 1L << 34, Long.MAX_VALUE})
    void moreRowsThanAServerCanCountAreRefused(long rows) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model(3, Redundancy.coded(2), rows))
                .withMessage(
                        "a server must have at most 2147483639 rows and as many parities of a table, got a table of "
                                + rows + " rows on 3 servers: use more servers");
    }

    /** They could be trained, but not be copied to another server. */
    @ParameterizedTest
    @ValueSource(ints = {178_956_630, 1 << 29, 1 << 30, Integer.MAX_VALUE})
    void blocksThatDoNotFitIntoAMessageAreRefused(int size) {
        BlockSpec block = new BlockSpec(size, Optimizer.of("adam", 1), new Initializer(0, 0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ModelSpec(2, Redundancy.replicated(), List.of(), List.of(block)))
                .withMessage("a block must have at most 536869887 numbers, with its optimizer's state, got " + size
                        + " parameters: divide it into several");
    }

    @Test
    void aTableMayHaveMoreThanAServer() {
        assertThat(model(4, Redundancy.coded(2), 3L << 31).stripes().dataSlots(3L << 31))
                .isEqualTo(1_610_612_736);
        assertThatIllegalArgumentException()
                .as("two parities for each row")
                .isThrownBy(() -> model(4, Redundancy.coded(1, 2), 3L << 31))
                .withMessageContaining("use more servers");
    }
}
