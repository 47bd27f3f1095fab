/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkSizeTest {
    @ParameterizedTest
    @CsvSource({"1, 1", "4096, 4096", "256k, 262144", "1m, 1048576", "16M, 16777216"})
    void readsASize(String text, int bytes) {
        assertThat(ChunkSize.parse(text)).isEqualTo(new ChunkSize(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1g", "k", "17m", "16777217", "99999999m"})
    void refusesWhatIsNone(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ChunkSize.parse(text))
                .withMessage("a chunk must have 1 byte to 16m, such as 4096, 256k or 1m, got '" + text + "'");
    }
}
