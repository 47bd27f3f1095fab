/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The place behind the last window of a unit may be no int. */
class LongestUnitTest {
    private static final StripFolds NONE =
            new StripFolds(Check.NONE, 1, 0, 64, StatementBlockRunner.method(Word.LONG), (a, o, l) -> {}, new int[0]);

    @TempDir
    private Path folder;

    private FileChannel sparse;
    private long bytes;

    @BeforeEach
    void make() throws IOException {
        sparse = FileChannel.open(
                folder.resolve("sparse"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        sparse.write(ByteBuffer.allocate(1), Integer.MAX_VALUE - 1);
    }

    @AfterEach
    void delete() throws IOException {
        sparse.close();
        Files.delete(folder.resolve("sparse"));
    }

    private Strips unit(int w, int length) throws IOException {
        return Strips.of(w, sparse.map(FileChannel.MapMode.READ_ONLY, 0, length));
    }

    private void count(long length) {
        bytes += length;
        assertThat(bytes).isLessThanOrEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void ofBlocks() throws IOException {
        BlockKernel kernel = new BlockKernel(1, 0, 0, (arrays, offsets, length) -> count(length), 1 << 24, NONE);

        kernel.apply(unit(1, Integer.MAX_VALUE), Strips.of(1, new ByteBuffer[0]));

        assertThat(bytes).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void ofPackets() throws IOException {
        PacketLayout layout = new PacketLayout(8, 1, 0, 0);
        int length = Integer.MAX_VALUE / layout.groupBytes() * layout.groupBytes();
        PacketKernel kernel =
                new PacketKernel(layout, (arrays, offsets, groups) -> count((long) groups * layout.groupBytes()), NONE);

        kernel.apply(unit(8, length), Strips.of(8, new ByteBuffer[0]));

        assertThat(bytes).isEqualTo(length);
    }
}
