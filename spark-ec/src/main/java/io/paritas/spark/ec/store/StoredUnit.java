/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The identity of a unit's bytes. Bytes that do not match are damaged, or were recomputed from rows in another order: they must
 * not be decoded with the rest of the stripe.
 *
 * @param length length in bytes; in its stripe, zeros follow up to the longest unit
 * @param checksum CRC32C
 */
record StoredUnit(int length, int checksum) implements Serializable {
    /** A data unit without bytes: of a partition without rows, or of a stripe with less than k partitions. */
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
