/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksums of the partitions of a map output, whose bytes come in order. */
final class PartitionChecksums {
    private final long[] offsets;
    private final int[] values;
    private final CRC32C checksum = new CRC32C();
    private int partition;
    private long position;

    /** @param offsets of the partitions, the first one's too, and the end */
    PartitionChecksums(long[] offsets) {
        this.offsets = offsets;
        this.values = new int[offsets.length - 1];
        this.position = offsets[0];
    }

    /** Takes the next bytes. The buffer stays as it is. */
    void update(ByteBuffer bytes) {
        int from = bytes.position();
        while (from < bytes.limit()) {
            while (position == offsets[partition + 1]) {
                next();
            }
            int size = (int) Math.min(bytes.limit() - from, offsets[partition + 1] - position);
            checksum.update(bytes.slice(from, size));
            position += size;
            from += size;
        }
    }

    private void next() {
        values[partition++] = (int) checksum.getValue();
        checksum.reset();
    }

    /** The checksums, once all bytes were taken. */
    int[] values() {
        while (partition < values.length) {
            next();
        }
        return values;
    }
}
