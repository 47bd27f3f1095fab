/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostColumnVector;
import ai.rapids.cudf.HostColumnVectorCore;
import ai.rapids.cudf.HostMemoryBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * Makes a column of a batch of rows, each of them an array of float32 or bytes of the same length: a row is copied once, into
 * memory of cuDF's pinned pool if there is one, from where {@link HostColumnVector#copyToDevice} copies to the GPU. The column is
 * a LIST of FLOAT32 or UINT8 without nulls, as Spark's RAPIDS plugin has {@code array<float>} and {@code binary}. Needs cuDF's
 * library, but no GPU. Not thread-safe.
 */
public final class TensorWriter implements AutoCloseable {
    private final DType type;
    private final int capacity;
    private final int values;
    private final int rowBytes;
    private HostMemoryBuffer data;
    private int rows;

    private TensorWriter(DType type, int capacity, int values) {
        if (capacity < 0 || values < 1) {
            throw new IllegalArgumentException("A batch has rows of at least 1 value; got " + capacity + " rows of "
                    + values);
        }
        if ((long) capacity * values > Integer.MAX_VALUE || (long) values * type.getSizeInBytes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("The values of a column of cuDF are counted in 31 bits, as are the bytes"
                    + " of a row; got " + capacity + " rows of " + values + " values. Make smaller batches");
        }
        this.type = type;
        this.capacity = capacity;
        this.values = values;
        rowBytes = values * type.getSizeInBytes();
        data = HostMemoryBuffer.allocate((long) capacity * rowBytes, true);
    }

    /**
     * For rows of float32.
     *
     * @param rows the most that are added
     * @param values of each
     */
    public static TensorWriter floats(int rows, int values) {
        return new TensorWriter(DType.FLOAT32, rows, values);
    }

    /**
     * For rows of bytes.
     *
     * @param rows the most that are added
     * @param values of each
     */
    public static TensorWriter bytes(int rows, int values) {
        return new TensorWriter(DType.UINT8, rows, values);
    }

    /**
     * Adds a row of float32.
     *
     * @throws IllegalArgumentException if it is null, or has another length
     * @throws IllegalStateException if the column is for bytes, full or finished
     */
    public void add(float[] row) {
        check(DType.FLOAT32, row == null ? -1 : (long) row.length * Float.BYTES);
        data.setFloats((long) rows * rowBytes, row, 0, values);
        rows++;
    }

    /** Adds a row of bytes; otherwise as {@link #add(float[])}. */
    public void add(byte[] row) {
        check(DType.UINT8, row == null ? -1 : row.length);
        data.setBytes((long) rows * rowBytes, row, 0, values);
        rows++;
    }

    /**
     * Adds a row of either type, from wherever it is: the remaining bytes, float32 in native byte order. The buffer stays as it is.
     * Otherwise as {@link #add(float[])}.
     */
    public void add(ByteBuffer row) {
        check(type, row == null ? -1 : row.remaining());
        data.asByteBuffer((long) rows * rowBytes, rowBytes).put(row.duplicate());
        rows++;
    }

    /**
     * Adds a row of either type that is written where the column has it. If that fails, the row is not added.
     *
     * @throws E if the filler does
     * @throws IllegalArgumentException if the filler leaves room
     * @throws IllegalStateException if the column is full or finished
     */
    public <E extends Exception> void add(Filler<E> filler) throws E {
        check(type, rowBytes);
        ByteBuffer into = data.asByteBuffer((long) rows * rowBytes, rowBytes).order(ByteOrder.nativeOrder());
        filler.fill(into);
        check(type, into.position());
        rows++;
    }

    /** Writes a row. */
    @FunctionalInterface
    public interface Filler<E extends Exception> {
        /**
         * Fills a buffer of memory of the host, float32 in native byte order, the order that the buffer has.
         *
         * @throws E if there is no such row
         */
        void fill(ByteBuffer into) throws E;
    }

    private void check(DType given, long bytes) {
        if (data == null || rows == capacity || !given.equals(type)) {
            throw new IllegalStateException("This column takes " + capacity + " rows of " + type + " until it is finished;"
                    + " got row " + rows + " of " + given + (data == null ? " after that" : ""));
        }
        if (bytes != rowBytes) {
            throw new IllegalArgumentException("The rows of a tensor column have " + values + " values, " + rowBytes
                    + " bytes; row " + rows + (bytes < 0 ? " is null" : " has " + bytes + " bytes")
                    + ". Pad, replace or remove such rows first");
        }
    }

    /**
     * The column of the rows that were added; the caller closes it. Nothing more can be added.
     *
     * @throws IllegalStateException if it is finished already
     */
    public HostColumnVector finish() {
        if (data == null) {
            throw new IllegalStateException("A column is finished once");
        }
        HostMemoryBuffer offsets = TensorWriter.offsets(rows, values);
        /* Without a null count cuDF would look for a bit of each row. */
        HostColumnVectorCore child = new HostColumnVectorCore(
                type, (long) rows * values, Optional.of(0L), data, null, null, List.of());
        data = null;
        return new HostColumnVector(DType.LIST, rows, Optional.of(0L), null, null, offsets, List.of(child));
    }

    /** Where each row starts and the last one ends. */
    static HostMemoryBuffer offsets(int rows, int values) {
        HostMemoryBuffer offsets = HostMemoryBuffer.allocate((rows + 1L) * Integer.BYTES, true);
        for (int row = 0; row <= rows; row++) {
            offsets.setInt((long) row * Integer.BYTES, row * values);
        }
        return offsets;
    }

    /** Gives the memory back, unless a column has it. */
    @Override
    public void close() {
        if (data != null) {
            data.close();
            data = null;
        }
    }
}
