/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Memory for windows of files: two for each file, one that is coded and one that is on its way. Arrays of a mebibyte are dear to
 * G1, which gives each of them regions of its own, so they are used again. For one file that is made, because an answer that comes too late
 * may still be written.
 */
final class Windows {
    private final ByteBuffer[][] memory;
    private final int size;

    /**
     * @param units files
     * @param size bytes of a window, at most
     */
    Windows(int units, int size) {
        this.memory = new ByteBuffer[2][units];
        this.size = size;
    }

    /** Where bytes of a file go, of the window that starts at {@code from}; overwrites the window before the last one. */
    ByteBuffer of(long from, int unit, int bytes) {
        ByteBuffer[] units = memory[(int) (from / GroupFiles.WINDOW % 2)];
        if (units[unit] == null) {
            units[unit] = ByteBuffer.allocate(size);
        }
        return units[unit].clear().limit(bytes);
    }

    /** The bytes of a window, and as many more zeros as fill it up. */
    ByteBuffer filled(long from, int unit, ByteBuffer bytes, int length) {
        if (bytes.remaining() == length) {
            return bytes;
        }
        ByteBuffer all = of(from, unit, length);
        if (bytes.array() != all.array()) {
            all.put(0, bytes, bytes.position(), bytes.remaining());
        }
        Arrays.fill(all.array(), bytes.remaining(), length, (byte) 0);
        return all;
    }
}
