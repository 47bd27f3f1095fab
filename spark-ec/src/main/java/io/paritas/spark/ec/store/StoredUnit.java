/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a unit is known by. Bytes that do not fit are not that unit: they are damaged, or were made again from rows in another
 * order, and must not be decoded with the rest of its stripe.
 *
 * @param length in bytes; in its stripe, zeros follow up to the longest unit
 * @param checksum CRC32C
 */
record StoredUnit(int length, int checksum) implements Serializable {
    /** What fills a stripe that has less than k partitions, and a partition without rows. */
    static final StoredUnit EMPTY = new StoredUnit(0, 0);

    static StoredUnit of(List<ByteBuffer> chunks) {
        CRC32C checksum = new CRC32C();
        int length = 0;
        for (ByteBuffer chunk : chunks) {
            length += chunk.remaining();
            checksum.update(chunk.duplicate());
        }
        return new StoredUnit(length, (int) checksum.getValue());
    }
}
