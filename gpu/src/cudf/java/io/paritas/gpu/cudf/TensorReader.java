/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostColumnVectorCore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the rows of a column of tensors on the host, which {@link ai.rapids.cudf.ColumnView#copyToHost()} returns, without copying:
 * keep the column open as long as they are used. Immutable.
 */
public final class TensorReader {
    private final HostColumnVectorCore child;
    private final TensorLayout layout;
    private final int rowBytes;

    private TensorReader(HostColumnVectorCore child, TensorLayout layout) {
        this.child = child;
        this.layout = layout;
        rowBytes = child == null
                ? 0
                : Math.multiplyExact(layout.values(), child.getType().getSizeInBytes());
    }

    /**
     * Creates a reader.
     *
     * @throws IllegalArgumentException if the rows are not equally long lists of FLOAT32, UINT8 or INT8 without nulls
     */
    public static TensorReader of(HostColumnVectorCore column) {
        HostColumnVectorCore child = column.getNumChildren() == 1 ? column.getChildColumnView(0) : null;
        TensorLayout.check(
                column.getType(), child == null ? null : child.getType(), child == null ? 0 : child.getNullCount());
        return new TensorReader(
                child, TensorLayout.of(column.getRowCount(), column.getNullCount(), column.getOffsets()));
    }

    /** The number of rows. */
    public int rows() {
        return layout.rows();
    }

    /** The number of values in a row; 0 if there are no rows. */
    public int values() {
        return layout.values();
    }

    /** The type of the values. */
    public DType type() {
        return child.getType();
    }

    /**
     * Returns a view of the bytes of a row, float32 in native byte order. It must not be written to.
     *
     * @throws IndexOutOfBoundsException if there is no such row
     */
    public ByteBuffer row(int row) {
        if (row < 0 || row >= layout.rows()) {
            throw new IndexOutOfBoundsException("a row must be 0 to " + (layout.rows() - 1) + ", got " + row);
        }
        long first = layout.first() * child.getType().getSizeInBytes();
        return child.getData()
                .asByteBuffer(first + (long) row * rowBytes, rowBytes)
                .asReadOnlyBuffer()
                .order(ByteOrder.nativeOrder());
    }

    /** Returns a copy of a row of float32. */
    public float[] floats(int row) {
        if (!child.getType().equals(DType.FLOAT32)) {
            throw new IllegalStateException("the column has values of " + child.getType() + ", not of FLOAT32");
        }
        float[] values = new float[layout.values()];
        row(row).asFloatBuffer().get(values);
        return values;
    }

    /** Returns a copy of the bytes of a row. */
    public byte[] bytes(int row) {
        byte[] values = new byte[rowBytes];
        row(row).get(values);
        return values;
    }
}
