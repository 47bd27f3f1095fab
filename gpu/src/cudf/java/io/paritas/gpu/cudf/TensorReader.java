/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostColumnVectorCore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The rows of a column of tensors on the host, as {@link ai.rapids.cudf.ColumnView#copyToHost()} gives it: views, nothing is
 * copied. The column stays open as long as they are used. Immutable.
 */
public final class TensorReader {
    private final HostColumnVectorCore child;
    private final TensorLayout layout;
    private final int rowBytes;

    private TensorReader(HostColumnVectorCore child, TensorLayout layout) {
        this.child = child;
        this.layout = layout;
        rowBytes = child == null ? 0 : Math.multiplyExact(layout.values(), child.getType().getSizeInBytes());
    }

    /**
     * Rows of a column.
     *
     * @throws IllegalArgumentException if they are not lists of FLOAT32, UINT8 or INT8, are not equally long, or there are nulls
     */
    public static TensorReader of(HostColumnVectorCore column) {
        HostColumnVectorCore child = column.getNumChildren() == 1 ? column.getChildColumnView(0) : null;
        TensorLayout.check(
                column.getType(), child == null ? null : child.getType(), child == null ? 0 : child.getNullCount());
        return new TensorReader(
                child, TensorLayout.of(column.getRowCount(), column.getNullCount(), column.getOffsets()));
    }

    /** How many rows there are. */
    public int rows() {
        return layout.rows();
    }

    /** How many values a row has; 0 if there are no rows. */
    public int values() {
        return layout.values();
    }

    /** What they are. */
    public DType type() {
        return child.getType();
    }

    /**
     * The bytes of a row, float32 in native byte order, not to be written to.
     *
     * @throws IndexOutOfBoundsException if there is no such row
     */
    public ByteBuffer row(int row) {
        if (row < 0 || row >= layout.rows()) {
            throw new IndexOutOfBoundsException("Rows are 0 to " + (layout.rows() - 1) + "; got " + row);
        }
        long first = layout.first() * child.getType().getSizeInBytes();
        return child.getData()
                .asByteBuffer(first + (long) row * rowBytes, rowBytes)
                .asReadOnlyBuffer()
                .order(ByteOrder.nativeOrder());
    }

    /** A row of float32, copied. */
    public float[] floats(int row) {
        if (!child.getType().equals(DType.FLOAT32)) {
            throw new IllegalStateException("This column has values of " + child.getType() + ", not of FLOAT32");
        }
        float[] values = new float[layout.values()];
        row(row).asFloatBuffer().get(values);
        return values;
    }

    /** The bytes of a row, copied. */
    public byte[] bytes(int row) {
        byte[] values = new byte[rowBytes];
        row(row).get(values);
        return values;
    }
}
