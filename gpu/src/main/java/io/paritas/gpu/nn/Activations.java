/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.DeviceMemory;

/**
 * A matrix on the GPU that products read and write, row by row, and beside it what the checks of the next product need of
 * it. Images are rows too: lines, places and channels, the channels innermost. To be used by one stream at a time.
 */
public final class Activations implements AutoCloseable {
    private static final int WIDE_BYTES = 16;

    private final Precision precision;
    private final int rows;
    private final int columns;
    private final int stride;
    private final DeviceMemory values;
    private final DeviceMemory squares;
    private final DeviceMemory sums;
    private final boolean isView;
    private int parts;
    private boolean summed;

    private Activations(Precision precision, int rows, int columns, int stride) {
        this(precision, rows, columns, stride, allocate(precision, rows, columns, stride), false);
    }

    private Activations(Precision precision, int rows, int columns, int stride, DeviceMemory values, boolean isView) {
        this.precision = precision;
        this.rows = rows;
        this.columns = columns;
        this.stride = stride;
        this.values = values;
        this.isView = isView;
        squares = DeviceMemory.allocate((long) rows * blocks(columns) * Float.BYTES);
        sums = DeviceMemory.allocate((long) blocks(rows) * columns * Float.BYTES);
    }

    private static DeviceMemory allocate(Precision precision, int rows, int columns, int stride) {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException("A matrix has rows and columns; got " + rows + " x " + columns);
        }
        return DeviceMemory.allocate((long) rows * stride * precision.bytes());
    }

    /** Memory for a matrix, whose rows begin at multiples of 16 bytes; the thread is bound to the GPU. */
    public static Activations aligned(Precision precision, int rows, int columns) {
        int wide = WIDE_BYTES / precision.bytes();
        return new Activations(precision, rows, columns, Math.multiplyExact((columns + wide - 1) / wide, wide));
    }

    /** Memory for a matrix without gaps between rows, as convolutions and other libraries need it. */
    public static Activations dense(Precision precision, int rows, int columns) {
        return new Activations(precision, rows, columns, columns);
    }

    /**
     * The same values as a matrix of another shape: the output of a convolution as images again, or images as rows of a
     * product. What the checks need is made for it by itself, so {@link #changed} tells it too when the values are others.
     *
     * @throws IllegalArgumentException if there are gaps between rows, or it is another number of values
     */
    public Activations reshaped(int newRows, int newColumns) {
        if (newRows < 1 || stride != columns || (long) newRows * newColumns != (long) rows * columns) {
            throw new IllegalArgumentException("Values without gaps get a shape of as many; got " + rows + " x "
                    + columns + ", " + stride + " apart, for " + newRows + " x " + newColumns);
        }
        return new Activations(precision, newRows, newColumns, newColumns, values, true);
    }

    /**
     * Values that another library has on the GPU, row by row without gaps, such as those of a column of cuDF: nothing is copied. What
     * the checks need is made beside them.
     *
     * @param address of the first value; that library keeps it until nothing uses it any more
     * @throws IllegalArgumentException if there are no rows or columns, or the address is none of such a value
     */
    public static Activations of(long address, Precision precision, int rows, int columns) {
        if (rows < 1 || columns < 1 || address == 0 || address % precision.bytes() != 0) {
            throw new IllegalArgumentException("A matrix has rows and columns, and an address that is a multiple of the"
                    + " bytes of a value; got " + rows + " x " + columns + " of " + precision + " at 0x"
                    + Long.toHexString(address));
        }
        DeviceMemory values = new Foreign(address, (long) rows * columns * precision.bytes());
        return new Activations(precision, rows, columns, columns, values, true);
    }

    /** Memory that somebody else gives back. */
    private record Foreign(long address, long size) implements DeviceMemory {
        @Override
        public void close() {}
    }

    static int blocks(int count) {
        return (count + Weights.BLOCK - 1) / Weights.BLOCK;
    }

    /** Of the values. */
    public Precision precision() {
        return precision;
    }

    /** How many rows there are. */
    public int rows() {
        return rows;
    }

    /** How many values a row has. */
    public int columns() {
        return columns;
    }

    /** How many values lie between the begins of two rows. */
    public int stride() {
        return stride;
    }

    /** Where the first value is. Whoever writes there says so by {@link #changed}. */
    public long address() {
        return values.address();
    }

    /** The values are others than those that a product wrote: what the checks need is made again. */
    public void changed() {
        parts = 0;
        summed = false;
    }

    /** A kernel has written, or will have, what the checks need. */
    void measured(int newParts, boolean withSums) {
        parts = newParts;
        summed = withSums;
    }

    boolean isMeasured(Scheme scheme) {
        return !scheme.needsNorms() || (parts > 0 && (summed || scheme != Scheme.GLOBAL));
    }

    /** In how many parts the squares are. */
    int parts() {
        return parts;
    }

    long squares() {
        return squares.address();
    }

    long sums() {
        return sums.address();
    }

    /** Gives the memory back, the values' if it is not of another shape; nothing may use it any more. */
    @Override
    public void close() {
        if (!isView) {
            values.close();
        }
        squares.close();
        sums.close();
    }
}
