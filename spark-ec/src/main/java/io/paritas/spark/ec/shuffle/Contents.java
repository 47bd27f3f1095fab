/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Where the partitions of a map output lie in its file, and their checksums (CRC-32C of the bytes that were coded). It is kept with
 * the parity, because a lost executor takes its index file along.
 *
 * <p>The file has a record for each partition of each data unit, and one for the end of the unit: the offset (8 bytes,
 * big endian), the checksum of the partition (4 bytes; 0 for the end), and the CRC-32C of both and of the place of the
 * record (4 bytes). So the records of consecutive partitions lie together, and whoever reads some of them sees damage.
 *
 * @param offsets in bytes, one more than there are partitions
 * @param checksums one for each partition
 */
record Contents(long[] offsets, int[] checksums) {
    private static final int RECORD = Long.BYTES + 2 * Integer.BYTES;

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

    /** What the file has of a data unit. */
    ByteBuffer records(int unit) {
        ByteBuffer bytes = ByteBuffer.allocate(offsets.length * RECORD);
        for (int i = 0; i < offsets.length; i++) {
            int checksum = i < checksums.length ? checksums[i] : 0;
            bytes.putLong(offsets[i]).putInt(checksum).putInt(checksum(unit, i, offsets[i], checksum));
        }
        return bytes.flip();
    }

    /** Of a record, and where it belongs. */
    private static int checksum(int unit, int partition, long offset, int checksum) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                .putInt(unit)
                .putInt(partition)
                .putLong(offset)
                .putInt(checksum)
                .flip());
        return (int) crc.getValue();
    }

    /** Writes the contents of all data units of a group, which have the same number of partitions. */
    static void write(Path file, List<Contents> units) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int unit = 0; unit < units.size(); unit++) {
                ByteBuffer bytes = units.get(unit).records(unit);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        }
    }

    /**
     * Reads a part of what {@link #write} wrote, for {@link #of}, which sees whether it is right.
     *
     * @param units how many there are in the file
     * @param from first partition
     * @param to end of the partitions
     */
    static ByteBuffer read(Path file, int units, int unit, int from, int to) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long start = unit * (channel.size() / units) + (long) from * RECORD;
            // Who asks may ask for any number.
            long wanted = Math.min((to - from + 1L) * RECORD, channel.size() - start);
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, wanted));
            while (bytes.hasRemaining() && channel.read(bytes, start + bytes.position()) >= 0) {
                // A file that is too short is damaged, too.
            }
            return bytes.flip();
        }
    }

    /**
     * Takes what was {@linkplain #read read}.
     *
     * @throws IOException if it is damaged
     */
    static Contents of(ByteBuffer bytes, int unit, int from, int to) throws IOException {
        long[] offsets = new long[to - from + 1];
        int[] checksums = new int[to - from];
        if (bytes.remaining() != offsets.length * RECORD) {
            throw new IOException("the contents of " + checksums.length + " partitions must have "
                    + offsets.length * RECORD + " bytes, got " + bytes.remaining());
        }
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = bytes.getLong();
            int checksum = bytes.getInt();
            if (bytes.getInt() != checksum(unit, from + i, offsets[i], checksum)) {
                throw new IOException("the contents of a group must have their checksums, partition " + (from + i)
                        + " of unit " + unit + " has another");
            }
            long least = i == 0 ? 0 : offsets[i - 1];
            if (offsets[i] < least) {
                throw new IOException("offset " + (from + i) + " of unit " + unit + " must be at least " + least
                        + ", got " + offsets[i]);
            }
            if (i < checksums.length) {
                checksums[i] = checksum;
            }
        }
        return new Contents(offsets, checksums);
    }
}
