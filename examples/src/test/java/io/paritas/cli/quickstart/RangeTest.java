/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangeTest {
    @TempDir
    private Path directory;

    @Test
    void liesInTheFileAtAnOddOffset() {
        assertThat(Range.random(7, 1000, 100_001))
                .hasSize(1000)
                .allSatisfy(range -> {
                    assertThat(range.length()).isPositive();
                    assertThat(range.offset() + range.length()).isLessThanOrEqualTo(100_001);
                })
                .filteredOn(range -> range.offset() % 2 == 0)
                .allSatisfy(range -> assertThat(range.offset()).isEqualTo(100_000));
    }

    @Test
    void existsInAFileOfOneByte() {
        assertThat(Range.random(7, 3, 1)).containsOnly(new Range(0, 1));
    }

    @Test
    void readsItsBytes() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[] {1, 2, 3, 4});
        assertThat(new Range(1, 2).of(file)).containsExactly(2, 3);
    }
}
