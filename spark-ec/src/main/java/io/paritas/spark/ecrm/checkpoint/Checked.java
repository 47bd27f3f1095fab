/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Bytes with their CRC32C behind them. */
final class Checked {
    private Checked() {}

    /** What was put into a buffer, and its CRC, for which there must be room. */
    static byte[] seal(ByteBuffer bytes) {
        bytes.putInt(crc(bytes.array(), bytes.position()));
        return bytes.array();
    }

    /** @throws IOException if they are not what was sealed */
    static ByteBuffer open(byte[] bytes, Object where) throws IOException {
        int length = bytes.length - Geometry.CRC;
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.getInt(length) != crc(bytes, length)) {
            throw new IOException(where + " is damaged: its checksum is wrong. Restore another checkpoint");
        }
        return buffer.limit(length);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
