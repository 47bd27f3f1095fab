/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.Path;

/** Adds and checks the CRC32C behind each part of a file. */
final class Checksums {
    private Checksums() {}

    /** Appends the CRC of the bytes put into a buffer, which must have room for it, and returns its array. */
    static byte[] seal(ByteBuffer bytes) {
        bytes.putInt(crc(bytes.array(), bytes.position()));
        return bytes.array();
    }

    /**
     * Checks and removes the CRC.
     *
     * @throws IOException if the bytes are damaged
     */
    static ByteBuffer open(byte[] bytes, Path file) throws IOException {
        int length = bytes.length - CheckpointLayout.CRC;
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.getInt(length) != crc(bytes, length)) {
            throw damaged(file, "its checksum is wrong");
        }
        return buffer.limit(length);
    }

    /** Returns the error of a file of a checkpoint. */
    static IOException damaged(Path file, String why) {
        return new IOException(file + " is damaged, " + why + ": to restore the checkpoint before, move "
                + file.getParent() + " away");
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
