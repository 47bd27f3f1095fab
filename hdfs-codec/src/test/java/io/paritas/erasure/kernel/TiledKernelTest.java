/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TiledKernelTest {
    /** Only counts bytes. */
    private static final class Counting extends TiledKernel {
        long bytes;

        Counting() {
            super(1 << 24, 1 << 20);
        }

        @Override
        Pass begin() {
            return (inputs, offsets, outputs, outputOffsets, size) -> {
                bytes += size;
                assertThat(bytes).isLessThanOrEqualTo(1L << 31);
            };
        }
    }

    /** The place behind the last tile is no int. */
    @Test
    void theLongestUnitHasAnEnd(@TempDir Path folder) throws IOException {
        Path sparse = folder.resolve("sparse");
        try (FileChannel file = FileChannel.open(
                sparse, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), Integer.MAX_VALUE - 1);
            Counting kernel = new Counting();
            kernel.apply(
                    Regions.of(file.map(FileChannel.MapMode.READ_ONLY, 0, Integer.MAX_VALUE)),
                    Regions.of(new ByteBuffer[0]));
            assertThat(kernel.bytes).as("whole steps, the last one padded").isEqualTo(1L << 31);
        }
        Files.delete(sparse);
    }
}
