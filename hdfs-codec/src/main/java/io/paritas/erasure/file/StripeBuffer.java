/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** Memory for one chunk of each unit, reused for every stripe. Not thread-safe. */
public final class StripeBuffer {
    /** The bytes of the checksum, which follows the cell in a chunk. */
    static final int CHECKSUM_LENGTH = Integer.BYTES;

    private final int k;
    private final byte[][] cells;
    private final ByteBuffer[] views;
    private final CRC32C crc = new CRC32C();
    private int cellLength;

    /** Creates a buffer for the stripes of a group. */
    public StripeBuffer(UnitGroup group) {
        k = group.code().k();
        cells = new byte[group.code().n()][group.chunk().bytes() + CHECKSUM_LENGTH];
        views = IntStream.range(0, cells.length)
                .mapToObj(unit -> ByteBuffer.wrap(cells[unit]))
                .toArray(ByteBuffer[]::new);
    }

    /** Starts a stripe with cells of this length. They still hold the bytes of the previous stripe. */
    public void begin(int newCellLength) {
        cellLength = newCellLength;
    }

    /** The first bytes of the unit's cell; the view is valid until the next call for this unit. */
    public ByteBuffer cell(int unit, int length) {
        return views[unit].clear().limit(length);
    }

    /** The unit's cell and its checksum; the view is valid until the next call for this unit. */
    public ByteBuffer chunk(int unit) {
        return cell(unit, cellLength + CHECKSUM_LENGTH);
    }

    /** Fills the rest of the unit's cell with zeros. */
    public void pad(int unit, int from) {
        Arrays.fill(cells[unit], from, cellLength, (byte) 0);
    }

    /** Computes the checksum of the unit's cell; returns both, valid until the next call for this unit. */
    public ByteBuffer sealed(int unit) {
        views[unit].clear().putInt(cellLength, checksum(unit));
        return chunk(unit);
    }

    /** Whether the checksum behind the unit's cell is that of the cell. */
    public boolean intact(int unit) {
        return views[unit].clear().getInt(cellLength) == checksum(unit);
    }

    private int checksum(int unit) {
        crc.reset();
        crc.update(cells[unit], 0, cellLength);
        return (int) crc.getValue();
    }

    /** The cells of the data units. */
    public Regions data() {
        return regions(IntStream.range(0, k));
    }

    /** The cells of the parity units. */
    public Regions parity() {
        return regions(IntStream.range(k, cells.length));
    }

    /** The cells of some units, in this order. */
    public Regions cells(int... units) {
        return regions(IntStream.of(units));
    }

    private Regions regions(IntStream units) {
        byte[][] arrays = units.mapToObj(unit -> cells[unit]).toArray(byte[][]::new);
        return Regions.of(arrays, new int[arrays.length], cellLength);
    }
}
