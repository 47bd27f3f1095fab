/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredRowsTest {
    private static StoredRows rows(int rows, StoredRows.Type type, int bytes, int factors, int offsets) {
        return new StoredRows(
                rows,
                type,
                ByteBuffer.allocate(bytes),
                List.of(1f, 2f, 3f).subList(0, factors),
                List.of(1f, 2f).subList(0, offsets));
    }

    @Test
    void aPartAndACopyHaveTheirRows() {
        StoredRows all = new StoredRows(
                3,
                StoredRows.Type.UINT16,
                ByteBuffer.wrap(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                List.of(1f),
                List.of(2f));
        assertThat(all.size()).isEqualTo(2);
        StoredRows part = all.part(1, 2);
        assertThat(part.rows()).isEqualTo(2);
        assertThat(part.values()).isEqualTo(ByteBuffer.wrap(new byte[] {4, 5, 6, 7, 8, 9, 10, 11}));
        StoredRows copy = part.copiedInto(ByteBuffer.allocateDirect(100));
        assertThat(copy).isEqualTo(part);
        assertThat(copy.values().isDirect()).isTrue();
        part.values().put(0, (byte) 99);
        assertThat(copy.values().get(0)).isEqualTo((byte) 4);
    }

    @Test
    void whatDoesNotFitTogetherIsRefused() {
        assertThatThrownBy(() -> rows(0, StoredRows.Type.UINT8, 4, 1, 1))
                .hasMessage("stored rows must be at least 1 and have equally many values of 1 bytes, got 0 rows in 4"
                        + " bytes");
        assertThatThrownBy(() -> rows(2, StoredRows.Type.UINT16, 6, 1, 1))
                .hasMessage("stored rows must be at least 1 and have equally many values of 2 bytes, got 2 rows in 6"
                        + " bytes");
        assertThatThrownBy(() -> rows(2, StoredRows.Type.UINT8, 8, 3, 2))
                .hasMessage("stored rows must have a factor and an offset for all values or for each channel, got 3 and"
                        + " 2 for 4 values");
        assertThatThrownBy(() -> rows(2, StoredRows.Type.UINT8, 8, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got 1 and 2 for 4 values");
    }
}
