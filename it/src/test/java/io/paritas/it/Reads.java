/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The ways to read a file, each compared with the bytes that were written. */
final class Reads {
    private static final int POSITIONAL = 60;
    private static final int SEEKS = 20;

    private Reads() {}

    static void all(FileSystem client, Path file, byte[] expected) throws IOException {
        whole(client, file, expected);
        positional(client, file, expected);
        seekAndRead(client, file, expected);
    }

    static void whole(FileSystem client, Path file, byte[] expected) throws IOException {
        try (FSDataInputStream in = client.open(file)) {
            assertThat(in.readAllBytes()).as("%s, whole", file).isEqualTo(expected);
        }
    }

    static void positional(FileSystem client, Path file, byte[] expected) throws IOException {
        try (FSDataInputStream in = client.open(file)) {
            positional(in, expected, Seeded.random("positional " + file));
        }
    }

    static void positional(FSDataInputStream in, byte[] expected, Random random) throws IOException {
        for (int i = 0; i < POSITIONAL; i++) {
            Range range = Range.draw(random, expected.length);
            byte[] read = new byte[range.length];
            in.readFully(range.offset, read);
            range.assertSame(read, expected);
        }
    }

    static void seekAndRead(FileSystem client, Path file, byte[] expected) throws IOException {
        Random random = Seeded.random("seeks " + file);
        try (FSDataInputStream in = client.open(file)) {
            for (int i = 0; i < SEEKS; i++) {
                Range range = Range.draw(random, expected.length);
                byte[] read = new byte[range.length];
                in.seek(range.offset);
                in.readFully(read);
                range.assertSame(read, expected);
            }
        }
    }

    /** Bytes of a file that start and end anywhere; odd numbers, so that they are never those of cells or words. */
    private record Range(int offset, int length) {
        /** Lengths spread over the magnitudes: as often tens of bytes as whole stripes. */
        static Range draw(Random random, int fileLength) {
            int offset = fileLength == 1 ? 0 : Math.min(random.nextInt(fileLength) | 1, fileLength - 1);
            int available = fileLength - offset;
            int length = Math.min((1 + random.nextInt(1 << (1 + random.nextInt(20)))) | 1, available);
            return new Range(offset, length);
        }

        void assertSame(byte[] read, byte[] file) {
            assertThat(read)
                    .as("bytes [%d, %d), seed %d", offset, offset + length, Seeded.SEED)
                    .isEqualTo(Arrays.copyOfRange(file, offset, offset + length));
        }
    }
}
