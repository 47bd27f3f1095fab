/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.PublicApi;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Equally long byte ranges: the units that a kernel reads or writes. A range lies in a {@code byte[]} or in a buffer.
 *
 * <p>A view: it copies no bytes and never moves a buffer's position. As thread-safe as the bytes it views.
 */
@PublicApi
public final class Regions {
    private final int length;
    /** The array of each region, or null where the region is in {@link #buffers}. */
    private final byte[][] arrays;
    /** Where each region starts, in its array or buffer. */
    private final int[] offsets;
    /** The buffer of each region that is not in a writable array, or null. */
    private final ByteBuffer[] buffers;

    private Regions(int length, byte[][] arrays, int[] offsets, ByteBuffer[] buffers) {
        this.length = length;
        this.arrays = arrays;
        this.offsets = offsets;
        this.buffers = buffers;
    }

    /**
     * Creates regions of whole arrays.
     *
     * @throws IllegalArgumentException if they differ in length
     */
    public static Regions of(byte[]... arrays) {
        int length = arrays.length == 0 ? 0 : arrays[0].length;
        for (int i = 0; i < arrays.length; i++) {
            checkSameLength(length, i, arrays[i].length);
        }
        return new Regions(length, arrays.clone(), new int[arrays.length], new ByteBuffer[arrays.length]);
    }

    /**
     * Creates regions of {@code length} bytes, each from {@code offsets[i]} on in {@code arrays[i]}. An array may occur several
     * times. Copies the outer array and the offsets.
     *
     * @throws IllegalArgumentException if an array has no offset, or the length is negative
     * @throws IndexOutOfBoundsException if a range does not lie within its array
     */
    public static Regions of(byte[][] arrays, int[] offsets, int length) {
        if (length < 0) {
            throw new IllegalArgumentException("a region cannot have a negative length, got " + length);
        }
        if (arrays.length != offsets.length) {
            throw new IllegalArgumentException("each array must have one offset, got " + arrays.length + " arrays and "
                    + offsets.length + " offsets");
        }
        for (int i = 0; i < arrays.length; i++) {
            Objects.checkFromIndexSize(offsets[i], length, arrays[i].length);
        }
        return new Regions(length, arrays.clone(), offsets.clone(), new ByteBuffer[arrays.length]);
    }

    /**
     * Creates regions of the remaining bytes of each buffer. Heap and direct buffers may be mixed.
     *
     * @throws IllegalArgumentException if the buffers differ in how many bytes remain
     */
    public static Regions of(ByteBuffer... buffers) {
        int length = buffers.length == 0 ? 0 : buffers[0].remaining();
        byte[][] arrays = new byte[buffers.length][];
        int[] offsets = new int[buffers.length];
        ByteBuffer[] others = new ByteBuffer[buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            ByteBuffer buffer = buffers[i];
            checkSameLength(length, i, buffer.remaining());
            if (buffer.hasArray()) {
                arrays[i] = buffer.array();
                offsets[i] = buffer.arrayOffset() + buffer.position();
            } else {
                others[i] = buffer;
                offsets[i] = buffer.position();
            }
        }
        return new Regions(length, arrays, offsets, others);
    }

    private static void checkSameLength(int expected, int index, int actual) {
        if (actual != expected) {
            throw new IllegalArgumentException("the units of a stripe must be equally long, unit 0 has " + expected
                    + " bytes, unit " + index + " has " + actual);
        }
    }

    /** The number of regions. */
    public int count() {
        return arrays.length;
    }

    /** The bytes of each region. */
    public int length() {
        return length;
    }

    /**
     * Returns the same window of every region.
     *
     * @throws IndexOutOfBoundsException if the window does not lie within the regions
     */
    public Regions slice(int from, int size) {
        Objects.checkFromIndexSize(from, size, length);
        return new Regions(
                size, arrays, Arrays.stream(offsets).map(at -> at + from).toArray(), buffers);
    }

    /** Returns the regions with these numbers, in this order. */
    public Regions pick(int... regions) {
        byte[][] pickedArrays = new byte[regions.length][];
        int[] pickedOffsets = new int[regions.length];
        ByteBuffer[] pickedBuffers = new ByteBuffer[regions.length];
        for (int i = 0; i < regions.length; i++) {
            pickedArrays[i] = arrays[regions[i]];
            pickedOffsets[i] = offsets[regions[i]];
            pickedBuffers[i] = buffers[regions[i]];
        }
        return new Regions(length, pickedArrays, pickedOffsets, pickedBuffers);
    }

    /** Whether the other regions hold the same bytes. */
    public boolean contentEquals(Regions other) {
        if (count() != other.count() || length != other.length) {
            return false;
        }
        for (int i = 0; i < count(); i++) {
            if (!view(i).equals(other.view(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns a new buffer that shares a region's bytes, from its position 0 to its capacity. */
    public ByteBuffer view(int region) {
        return arrays[region] != null
                ? ByteBuffer.wrap(arrays[region], offsets[region], length).slice()
                : buffers[region].slice(offsets[region], length);
    }

    /** @throws ReadOnlyBufferException if a region is in a read-only buffer */
    void checkWritable() {
        for (ByteBuffer buffer : buffers) {
            if (buffer != null && buffer.isReadOnly()) {
                throw new ReadOnlyBufferException();
            }
        }
    }

    /** Whether every region lies outside the heap. */
    boolean isDirect() {
        for (ByteBuffer buffer : buffers) {
            if (buffer == null || !buffer.isDirect()) {
                return false;
            }
        }
        return true;
    }

    /** Whether every region of both lies outside the heap. */
    static boolean areDirect(Regions inputs, Regions outputs) {
        return inputs.isDirect() && outputs.isDirect();
    }

    /** Whether every region lies in an array. */
    boolean areArrays() {
        for (byte[] array : arrays) {
            if (array == null) {
                return false;
            }
        }
        return true;
    }

    /** The array of each region; null where the region is not in one. Not to be changed. */
    byte[][] arrays() {
        return arrays;
    }

    /** Where each region starts in its array or buffer. Not to be changed. */
    int[] offsets() {
        return offsets;
    }

    /**
     * A new buffer for each region, from its array's or buffer's start to the end: a place in it is that of {@link #offsets}, whoever
     * moves the positions of the others meanwhile.
     */
    ByteBuffer[] asBuffers() {
        ByteBuffer[] all = new ByteBuffer[count()];
        for (int i = 0; i < all.length; i++) {
            all[i] = arrays[i] != null
                    ? ByteBuffer.wrap(arrays[i])
                    : buffers[i].duplicate().clear();
        }
        return all;
    }

    /** The buffer of each region that is not in a writable array, or null. Not to be changed. */
    ByteBuffer[] buffers() {
        return buffers;
    }

    /** The region's buffer, or null if the region is in an array. */
    ByteBuffer buffer(int region) {
        return buffers[region];
    }

    /** Where the region starts in its array or buffer. */
    int offset(int region) {
        return offsets[region];
    }

    /** The region's array, or null if the region is not in one. */
    byte[] array(int region) {
        return arrays[region];
    }

    /** Copies bytes of a region, from a place within it, into the start of an array. */
    void read(int region, int from, byte[] target, int size) {
        if (arrays[region] != null) {
            System.arraycopy(arrays[region], offsets[region] + from, target, 0, size);
        } else {
            buffers[region].get(offsets[region] + from, target, 0, size);
        }
    }

    /** Copies the start of an array into a region, at a place within it. */
    void write(int region, int from, byte[] source, int size) {
        if (arrays[region] != null) {
            System.arraycopy(source, 0, arrays[region], offsets[region] + from, size);
        } else {
            buffers[region].put(offsets[region] + from, source, 0, size);
        }
    }

    /** Copies bytes of a region, from a place within it, to the start of a buffer. */
    void read(int region, int from, ByteBuffer target, int size) {
        if (arrays[region] != null) {
            target.put(0, arrays[region], offsets[region] + from, size);
        } else {
            target.put(0, whole(region), offsets[region] + from, size);
        }
    }

    /** Copies the start of a buffer into a region, at a place within it. */
    void write(int region, int from, ByteBuffer source, int size) {
        if (arrays[region] != null) {
            source.get(0, arrays[region], offsets[region] + from, size);
        } else {
            whole(region).put(offsets[region] + from, source, 0, size);
        }
    }

    /** The region's buffer to its end, whoever moves the limit meanwhile. */
    private ByteBuffer whole(int region) {
        return buffers[region].duplicate().clear();
    }
}
