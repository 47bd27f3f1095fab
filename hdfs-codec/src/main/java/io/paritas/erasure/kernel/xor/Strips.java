/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Equally long units, each cut into w equal strips: strip b of unit j has the number w · j + b (the packet layout). A unit
 * lies in a {@code byte[]} or in a buffer.
 *
 * <p>A view: it copies no bytes, and it never moves a buffer's position. As thread-safe as the bytes it views.
 */
public final class Strips {
    private final int w;
    private final int length;
    /** The array of each unit, or null where the unit is in {@link #buffers}. */
    private final byte[][] arrays;
    /** Where each unit starts, in its array or buffer. */
    private final int[] offsets;
    /** The buffer of each unit that is not in an accessible array, or null. */
    private final ByteBuffer[] buffers;

    private Strips(int w, int unitLength, byte[][] arrays, int[] offsets, ByteBuffer[] buffers) {
        if (unitLength % w != 0) {
            throw uneven(w, unitLength);
        }
        this.w = w;
        this.length = unitLength / w;
        this.arrays = arrays;
        this.offsets = offsets;
        this.buffers = buffers;
    }

    /** The exception for units whose length is no multiple of w. */
    public static IllegalArgumentException uneven(int w, int unitLength) {
        return new IllegalArgumentException("a unit is cut into " + w
                + " equal strips, so its length must be a multiple of " + w + ", got " + unitLength
                + " bytes; pad the units");
    }

    /**
     * The strips of whole arrays.
     *
     * @param w number of strips of each unit
     * @throws IllegalArgumentException if the arrays differ in length, or their length is no multiple of w
     */
    public static Strips of(int w, byte[]... units) {
        return of(w, Arrays.stream(units).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new));
    }

    /**
     * The strips of the remaining bytes of buffers.
     *
     * @param w number of strips of each unit
     * @throws IllegalArgumentException if the buffers differ in remaining bytes, or that number is no multiple of w
     */
    public static Strips of(int w, ByteBuffer... units) {
        int length = units.length == 0 ? 0 : units[0].remaining();
        byte[][] arrays = new byte[units.length][];
        int[] offsets = new int[units.length];
        ByteBuffer[] buffers = new ByteBuffer[units.length];
        for (int i = 0; i < units.length; i++) {
            ByteBuffer unit = units[i];
            if (unit.remaining() != length) {
                throw new IllegalArgumentException("the units of a stripe must be equally long, unit 0 has " + length
                        + " bytes, unit " + i + " has " + unit.remaining());
            }
            if (unit.hasArray()) {
                arrays[i] = unit.array();
                offsets[i] = unit.arrayOffset() + unit.position();
            } else {
                buffers[i] = unit;
                offsets[i] = unit.position();
            }
        }
        return new Strips(w, length, arrays, offsets, buffers);
    }

    /**
     * The strips of regions.
     *
     * @param w number of strips of each unit
     * @throws IllegalArgumentException if the regions' length is no multiple of w
     */
    public static Strips of(int w, Regions units) {
        return of(w, IntStream.range(0, units.count()).mapToObj(units::view).toArray(ByteBuffer[]::new));
    }

    /** The number of units. */
    public int units() {
        return arrays.length;
    }

    /** The number of strips. */
    public int count() {
        return w * arrays.length;
    }

    /** The bytes of each strip. */
    public int length() {
        return length;
    }

    /** The bytes of each unit. */
    int unitLength() {
        return w * length;
    }

    /** The array that the unit is in, or null. */
    byte[] unitArray(int unit) {
        return arrays[unit];
    }

    /** Where the unit starts in its array or buffer. */
    int unitOffset(int unit) {
        return offsets[unit];
    }

    /** Copies bytes of a unit, from a place within it, to the start of an array. */
    void readUnit(int unit, int from, byte[] target, int size) {
        buffers[unit].get(offsets[unit] + from, target, 0, size);
    }

    /** Copies bytes from the start of an array into a unit, at a place within it. */
    void writeUnit(int unit, int from, byte[] source, int size) {
        buffers[unit].put(offsets[unit] + from, source, 0, size);
    }

    /** The array that the strip is in, or null. */
    byte[] array(int strip) {
        return arrays[strip / w];
    }

    /** Where the strip starts in its array or buffer. */
    int offset(int strip) {
        return offsets[strip / w] + strip % w * length;
    }

    /** Copies bytes of a strip, from a place within it, to a place in an array. */
    void read(int strip, int from, byte[] target, int at, int size) {
        buffers[strip / w].get(offset(strip) + from, target, at, size);
    }

    /** Copies bytes from a place in an array into a strip, at a place within it. */
    void write(int strip, int from, byte[] source, int at, int size) {
        buffers[strip / w].put(offset(strip) + from, source, at, size);
    }
}
