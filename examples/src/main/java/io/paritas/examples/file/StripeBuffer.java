/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.kernel.Regions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** The memory for one chunk of each unit, used again for every stripe. Not thread-safe. */
final class StripeBuffer {
    /** How many bytes of a chunk follow the cell. */
    static final int CHECKSUM_LENGTH = Integer.BYTES;

    private final int k;
    private final byte[][] cells;
    private final ByteBuffer[] views;
    private final CRC32C crc = new CRC32C();
    private int cellLength;

    StripeBuffer(UnitGroup group) {
        k = group.code().k();
        cells = new byte[group.code().n()][group.chunk().bytes() + CHECKSUM_LENGTH];
        views = IntStream.range(0, cells.length)
                .mapToObj(unit -> ByteBuffer.wrap(cells[unit]))
                .toArray(ByteBuffer[]::new);
    }

    /** Starts a stripe whose cells have this length. What they hold is left over from the last one. */
    void begin(int newCellLength) {
        cellLength = newCellLength;
    }

    /** The first bytes of the unit's cell; a view that the next call for this unit takes over. */
    ByteBuffer cell(int unit, int length) {
        return views[unit].clear().limit(length);
    }

    /** The unit's cell and its checksum; a view that the next call for this unit takes over. */
    ByteBuffer chunk(int unit) {
        return cell(unit, cellLength + CHECKSUM_LENGTH);
    }

    /** Fills the rest of the unit's cell with zeros. */
    void pad(int unit, int from) {
        Arrays.fill(cells[unit], from, cellLength, (byte) 0);
    }

    /** Appends the chunks of some units, each to its file. */
    void write(Map<Integer, FileChannel> files) throws IOException {
        for (var file : files.entrySet()) {
            int unit = file.getKey();
            views[unit].clear().putInt(cellLength, checksum(unit));
            Transfers.write(file.getValue(), chunk(unit));
        }
    }

    /** Whether the checksum behind the unit's cell is that of the cell. */
    boolean intact(int unit) {
        return views[unit].clear().getInt(cellLength) == checksum(unit);
    }

    private int checksum(int unit) {
        crc.reset();
        crc.update(cells[unit], 0, cellLength);
        return (int) crc.getValue();
    }

    /** The cells of the data units. */
    Regions data() {
        return regions(IntStream.range(0, k));
    }

    /** The cells of the parity units. */
    Regions parity() {
        return regions(IntStream.range(k, cells.length));
    }

    /** The cells of some units, in this order. */
    Regions cells(int... units) {
        return regions(IntStream.of(units));
    }

    private Regions regions(IntStream units) {
        byte[][] arrays = units.mapToObj(unit -> cells[unit]).toArray(byte[][]::new);
        return Regions.of(arrays, new int[arrays.length], cellLength);
    }
}
