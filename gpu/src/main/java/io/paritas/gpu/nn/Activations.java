/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Closings;
import io.paritas.gpu.DeviceMemory;
import java.util.function.Supplier;

/**
 * A matrix on the GPU that layers read and write, row by row, and the norms that the next layer's checks need of it.
 * Images are rows too: height, width and channels, the channels innermost. One stream at a time may use it.
 */
public final class Activations implements AutoCloseable {
    private final Precision precision;
    private final int rows;
    private final int columns;
    private final int stride;
    private final DeviceMemory values;
    private final DeviceMemory squares;
    private final Closings memories = new Closings();
    private int parts;

    private Activations(Precision precision, int rows, int columns, int stride) {
        this(precision, rows, columns, stride, () -> allocate(precision, rows, columns, stride));
    }

    /** A view is of memory that something else frees. */
    private static Activations view(Precision precision, int rows, int columns, DeviceMemory values) {
        return new Activations(precision, rows, columns, columns, () -> new Foreign(values.address(), values.size()));
    }

    private Activations(Precision precision, int rows, int columns, int stride, Supplier<DeviceMemory> allocation) {
        this.precision = precision;
        this.rows = rows;
        this.columns = columns;
        this.stride = stride;
        try {
            values = memories.add(allocation.get());
            squares = memories.add(DeviceMemory.allocate((long) rows * Weights.blocks(columns) * Float.BYTES));
        } catch (RuntimeException | Error e) {
            memories.close();
            throw e;
        }
    }

    private static DeviceMemory allocate(Precision precision, int rows, int columns, int stride) {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException("a matrix must have rows and columns, got " + rows + " x " + columns);
        }
        return DeviceMemory.allocate((long) rows * stride * precision.bytes());
    }

    /** Allocates a matrix whose rows start at multiples of 16 bytes; the thread is bound to the GPU. */
    public static Activations aligned(Precision precision, int rows, int columns) {
        int wide = precision.ofAChunk();
        return new Activations(precision, rows, columns, Math.multiplyExact((columns + wide - 1) / wide, wide));
    }

    /** Allocates a matrix without gaps between rows, as convolutions and other libraries need it. */
    public static Activations dense(Precision precision, int rows, int columns) {
        return new Activations(precision, rows, columns, columns);
    }

    /**
     * Returns a view of the same values in another shape: the output of a convolution as images, or images as rows of a GEMM.
     * The view has norms of its own, so call its {@link #changed} as well when the values change.
     *
     * @throws IllegalArgumentException if there are gaps between rows, or the number of values differs
     */
    public Activations reshaped(int newRows, int newColumns) {
        if (newRows < 1 || stride != columns || (long) newRows * newColumns != (long) rows * columns) {
            throw new IllegalArgumentException("only values without gaps can be reshaped, to as many values, got"
                    + " " + rows + " x "
                    + columns + ", " + stride + " apart, for " + newRows + " x " + newColumns);
        }
        return view(precision, newRows, newColumns, values);
    }

    /**
     * Returns a view of values that another library has on the GPU, row by row without gaps, such as a column of cuDF. Nothing is
     * copied; norms are allocated beside them.
     *
     * @param address of the first value; the library keeps the memory until nothing uses it any more
     * @throws IllegalArgumentException if there are no rows or columns, or the address is not aligned to a value
     */
    public static Activations of(long address, Precision precision, int rows, int columns) {
        if (rows < 1 || columns < 1 || address == 0 || address % precision.bytes() != 0) {
            throw new IllegalArgumentException("a matrix must have rows, columns and an address that is a"
                    + " multiple of the bytes of a value, got " + rows + " x " + columns + " of " + precision + " at 0x"
                    + Long.toHexString(address));
        }
        return view(precision, rows, columns, new Foreign(address, (long) rows * columns * precision.bytes()));
    }

    /** Memory that its owner frees. */
    private record Foreign(long address, long size) implements DeviceMemory {
        @Override
        public void close() {}
    }

    /** The precision of the values. */
    public Precision precision() {
        return precision;
    }

    /** The number of rows. */
    public int rows() {
        return rows;
    }

    /** The number of values in a row. */
    public int columns() {
        return columns;
    }

    /** The number of values between the starts of two rows. */
    public int stride() {
        return stride;
    }

    /** The address of the first value. Call {@link #changed} after writing there. */
    public long address() {
        return values.address();
    }

    /** Marks the values as written by something other than a layer, so that norms are computed again. */
    public void changed() {
        parts = 0;
    }

    /** Records that a kernel in the stream writes the norms. */
    void measured(int newParts) {
        parts = newParts;
    }

    boolean isMeasured(Scheme scheme) {
        return !scheme.needsNorms() || parts > 0;
    }

    /** The number of parts that each squared norm is the sum of. */
    int parts() {
        return parts;
    }

    long squares() {
        return squares.address();
    }

    /** Frees the memory, except that of a view's values; nothing may use it any more. */
    @Override
    public void close() {
        memories.close();
    }
}
