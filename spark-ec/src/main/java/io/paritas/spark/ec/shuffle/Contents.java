/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the partitions of a map output lie in its file, and their checksums (CRC-32C of the bytes that were coded). It is kept with
 * the parity, because a lost executor takes its index file along.
 *
 * @param offsets in bytes, one more than there are partitions
 * @param checksums one for each partition
 */
record Contents(long[] offsets, int[] checksums) {

    /** Reads an index file: offsets from 0 on, each at least as large as the one before. */
    static long[] offsets(ByteBuffer index) throws IOException {
        long[] offsets = new long[index.remaining() / Long.BYTES];
        index.asLongBuffer().get(offsets);
        boolean sorted = offsets.length > 1 && offsets[0] == 0;
        for (int i = 1; i < offsets.length; i++) {
            sorted &= offsets[i] >= offsets[i - 1];
        }
        if (!sorted || index.remaining() % Long.BYTES != 0) {
            throw new IOException("an index file must have offsets from 0 on, got " + Arrays.toString(offsets));
        }
        return offsets;
    }

    /** Bytes of all these partitions. */
    long length() {
        return offsets[offsets.length - 1] - offsets[0];
    }

    /** Bytes of each partition. */
    long[] lengths() {
        return IntStream.range(0, checksums.length)
                .mapToLong(partition -> offsets[partition + 1] - offsets[partition])
                .toArray();
    }

    private int size() {
        return offsets.length * Long.BYTES + checksums.length * Integer.BYTES;
    }

    /** Writes the contents of all data units of a group, which have the same number of partitions. */
    static void write(Path file, List<Contents> units) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.allocate(units.stream().mapToInt(Contents::size).sum());
        for (Contents unit : units) {
            Arrays.stream(unit.offsets).forEach(bytes::putLong);
            Arrays.stream(unit.checksums).forEach(bytes::putInt);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            bytes.flip();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /**
     * Reads a part of what {@link #write} wrote, for {@link #of}.
     *
     * @param units how many there are in the file
     * @param from first partition
     * @param to end of the partitions
     */
    static ByteBuffer read(Path file, int units, int unit, int from, int to) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size() / units;
            long partitions = (size - Long.BYTES) / (Long.BYTES + Integer.BYTES);
            long start = unit * size;
            ByteBuffer bytes = ByteBuffer.allocate((to - from + 1) * Long.BYTES + (to - from) * Integer.BYTES);
            bytes.limit((to - from + 1) * Long.BYTES);
            fill(channel, bytes, start + (long) from * Long.BYTES);
            bytes.limit(bytes.capacity());
            fill(channel, bytes, start + (partitions + 1) * Long.BYTES + (long) from * Integer.BYTES);
            return bytes.flip();
        }
    }

    private static void fill(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        int first = bytes.position();
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, position + bytes.position() - first) < 0) {
                throw new EOFException("the contents of a group end at byte " + channel.size());
            }
        }
    }

    /** @param partitions how many there are */
    static Contents of(ByteBuffer bytes, int partitions) {
        long[] offsets = new long[partitions + 1];
        int[] checksums = new int[partitions];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = bytes.getLong();
        }
        for (int i = 0; i < checksums.length; i++) {
            checksums[i] = bytes.getInt();
        }
        return new Contents(offsets, checksums);
    }
}
