/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredUnitTest {
    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    /** The check value of CRC-32C. */
    @Test
    void isTheLengthAndTheChecksum() {
        assertThat(StoredUnit.of(List.of(bytes("123456789")))).isEqualTo(new StoredUnit(9, 0xe3069283));
    }

    @Test
    void isTheSameHoweverTheBytesAreCut() {
        List<ByteBuffer> chunks = List.of(bytes("12"), bytes(""), bytes("3456789"));
        assertThat(StoredUnit.of(chunks)).isEqualTo(new StoredUnit(9, 0xe3069283));
        assertThat(chunks.get(0).remaining()).as("only read").isEqualTo(2);
    }

    @Test
    void noBytesAreTheEmptyUnit() {
        assertThat(StoredUnit.of(List.of())).isEqualTo(StoredUnit.EMPTY);
        assertThat(StoredUnit.of(List.of(bytes("")))).isEqualTo(StoredUnit.EMPTY);
    }
}
