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
 * Builds a column from a batch of rows, arrays of float32 or bytes of one length. Each row is copied once, into memory of cuDF's
 * pinned pool if there is one, from which {@link HostColumnVector#copyToDevice} copies to the GPU. The column is
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
            throw new IllegalArgumentException(
                    "a batch must have rows of at least 1 value, got " + capacity + " rows of " + values);
        }
        if ((long) capacity * values > Integer.MAX_VALUE || (long) values * type.getSizeInBytes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a column of cuDF must have fewer than 2^31 values, and a row"
                    + " fewer than 2^31 bytes, got " + capacity + " rows of " + values + " values: make smaller"
                    + " batches");
        }
        this.type = type;
        this.capacity = capacity;
        this.values = values;
        rowBytes = values * type.getSizeInBytes();
        data = HostMemoryBuffer.allocate((long) capacity * rowBytes, true);
    }

    /**
     * Creates a writer of rows of float32.
     *
     * @param rows largest number of rows
     * @param values in a row
     */
    public static TensorWriter floats(int rows, int values) {
        return new TensorWriter(DType.FLOAT32, rows, values);
    }

    /**
     * Creates a writer of rows of bytes.
     *
     * @param rows largest number of rows
     * @param values in a row
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
     * Adds the remaining bytes of a buffer as a row of either type, float32 in native byte order. The buffer's position stays.
     * Otherwise as {@link #add(float[])}.
     */
    public void add(ByteBuffer row) {
        check(type, row == null ? -1 : row.remaining());
        data.asByteBuffer((long) rows * rowBytes, rowBytes).put(row.duplicate());
        rows++;
    }

    /**
     * Adds a row of either type that is written directly into the column. If the filler fails, the row is not added.
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
         * Fills a buffer in native byte order, which the buffer has.
         *
         * @throws E if there is no such row
         */
        void fill(ByteBuffer into) throws E;
    }

    private void check(DType given, long bytes) {
        if (data == null || rows == capacity || !given.equals(type)) {
            throw new IllegalStateException("the column takes " + capacity + " rows of " + type + " until it is"
                    + " finished, got row " + rows + " of " + given + (data == null ? " after that" : ""));
        }
        if (bytes != rowBytes) {
            throw new IllegalArgumentException("the rows of a tensor column must have " + values + " values,"
                    + " " + rowBytes
                    + " bytes, row " + rows + (bytes < 0 ? " is null" : " has " + bytes + " bytes")
                    + ": pad, replace or remove such rows first");
        }
    }

    /**
     * Returns the column of the added rows; the caller closes it. No more rows can be added.
     *
     * @throws IllegalStateException if it is finished already
     */
    public HostColumnVector finish() {
        if (data == null) {
            throw new IllegalStateException("finish must be called once, got a second call");
        }
        HostMemoryBuffer offsets = TensorWriter.offsets(rows, values);
        /* Without a null count cuDF would look for a bit of each row. */
        HostColumnVectorCore child =
                new HostColumnVectorCore(type, (long) rows * values, Optional.of(0L), data, null, null, List.of());
        data = null;
        return new HostColumnVector(DType.LIST, rows, Optional.of(0L), null, null, offsets, List.of(child));
    }

    /** Writes the start of each row and the end of the last one. */
    static HostMemoryBuffer offsets(int rows, int values) {
        HostMemoryBuffer offsets = HostMemoryBuffer.allocate((rows + 1L) * Integer.BYTES, true);
        for (int row = 0; row <= rows; row++) {
            offsets.setInt((long) row * Integer.BYTES, row * values);
        }
        return offsets;
    }

    /** Frees the memory, unless a column owns it. */
    @Override
    public void close() {
        if (data != null) {
            data.close();
            data = null;
        }
    }
}
