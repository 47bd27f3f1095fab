/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CollectedRowsTest {
    @Test
    void otherLabelsHaveAnotherChecksum() {
        assertThat(checksum(1, 2)).isEqualTo(checksum(1, 2));
        assertThat(checksum(257, 2))
                .isNotEqualTo(checksum(1, 2))
                .as("the order counts")
                .isNotEqualTo(checksum(2, 257));
    }

    private static String checksum(int... labels) {
        List<byte[]> rows = List.of(new byte[4], new byte[4]);
        return new CollectedRows(null, List.of(1), rows, Optional.of(labels)).checksum();
    }
}
