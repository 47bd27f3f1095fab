/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A part of a file. */
record Range(long offset, int length) {
    /** The largest length: several cells, so that a range starts and ends anywhere in a stripe. */
    private static final int MAX_LENGTH = 2 * Policy.CELL;

    /** Returns random ranges of a file with this many bytes, at odd offsets (where there is one). */
    static List<Range> random(long seed, int count, long fileBytes) {
        Random random = new Random(seed);
        return Stream.generate(() -> random(random, fileBytes)).limit(count).toList();
    }

    private static Range random(Random random, long fileBytes) {
        long offset = Math.min(random.nextLong(fileBytes) | 1, fileBytes - 1);
        return new Range(offset, 1 + random.nextInt((int) Math.min(MAX_LENGTH, fileBytes - offset)));
    }

    /** Reads the bytes of this range from a local file. */
    byte[] of(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try (FileChannel channel = FileChannel.open(file)) {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, offset + bytes.position()) < 0) {
                    throw new EOFException(file + " became shorter while it was read");
                }
            }
        }
        return bytes.array();
    }

    @Override
    public String toString() {
        return offset + "+" + length;
    }
}
