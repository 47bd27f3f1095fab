/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.ColumnVector;
import ai.rapids.cudf.ColumnView;
import ai.rapids.cudf.DType;
import ai.rapids.cudf.DeviceMemoryBuffer;
import ai.rapids.cudf.HostMemoryBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A column of tensors on the GPU, as kernels want it: where the first value is, and how many follow. A view: it holds no reference, so
 * the caller keeps the column open until the stream was waited for.
 *
 * @param address of the first value of row 0, rows follow without gaps; 0 if there are no rows
 * @param rows how many there are
 * @param values of each row; 0 if there are no rows
 * @param type of a value: FLOAT32, UINT8 or INT8
 */
public record DeviceTensors(long address, int rows, int values, DType type) {
    /**
     * The values of a column. Its offsets are copied to the host and checked, 4 bytes for each row; the values stay where they are.
     *
     * @throws IllegalArgumentException if the column has not lists of FLOAT32, UINT8 or INT8, they are not equally long,
     *     there are nulls, or it is a view of a part of another
     */
    public static DeviceTensors of(ColumnView column) {
        if (column.getNumChildren() != 1) {
            TensorLayout.check(column.getType(), null, 0);
        }
        try (ColumnView child = column.getChildColumnView(0)) {
            TensorLayout.check(column.getType(), child.getType(), child.getNullCount());
            TensorLayout layout = layout(column);
            long address = layout.rows() == 0
                    ? 0
                    : child.getData().getAddress() + layout.first() * child.getType().getSizeInBytes();
            return new DeviceTensors(address, layout.rows(), layout.values(), child.getType());
        }
    }

    private static TensorLayout layout(ColumnView column) {
        if (column.getRowCount() == 0) {
            return TensorLayout.of(0, 0, null);
        }
        long bytes = (column.getRowCount() + 1) * Integer.BYTES;
        /* Of a part, cuDF's Java says neither where it starts nor that it is one, but has all offsets of the whole. */
        if (column.getOffsets().getLength() != bytes) {
            throw new IllegalArgumentException("A part of a column is copied first, by copyToColumnVector; got "
                    + column.getRowCount() + " rows with " + column.getOffsets().getLength() / Integer.BYTES
                    + " offsets");
        }
        try (HostMemoryBuffer offsets = HostMemoryBuffer.allocate(bytes, true)) {
            offsets.copyFromDeviceBuffer(column.getOffsets());
            return TensorLayout.of(column.getRowCount(), column.getNullCount(), offsets);
        }
    }

    /**
     * A column of what a kernel wrote: the values become the column's without a copy, offsets are made. The kernel is done, or
     * in a stream that cuDF's default stream follows.
     *
     * @param type of a value: FLOAT32, UINT8 or INT8
     * @param rows at least 1
     * @param values of each row, at least 1
     * @param data exactly these values; the column closes it, this method if it fails
     * @throws IllegalArgumentException if the data has another size
     */
    public static ColumnVector column(DType type, int rows, int values, DeviceMemoryBuffer data) {
        try {
            TensorLayout.check(DType.LIST, type, 0);
            if (rows < 1 || values < 1 || data.getLength() != (long) rows * values * type.getSizeInBytes()
                    || (long) rows * values > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("A column has at least 1 row of at least 1 value, and fewer than 2^31"
                        + " values; got " + rows + " rows of " + values + " values of " + type + " in "
                        + data.getLength() + " bytes");
            }
        } catch (IllegalArgumentException e) {
            data.close();
            throw e;
        }
        DeviceMemoryBuffer offsets = null;
        try (HostMemoryBuffer made = TensorWriter.offsets(rows, values);
                ColumnView child = new ColumnView(type, (long) rows * values, Optional.of(0L), data, null)) {
            offsets = DeviceMemoryBuffer.allocate(made.getLength());
            offsets.copyFromHostBuffer(made);
            return new ColumnVector(
                    DType.LIST, rows, Optional.of(0L), null, null, offsets, List.of(data), new long[] {
                        child.getNativeView()
                    });
        } catch (RuntimeException | Error e) {
            data.close();
            if (offsets != null) {
                offsets.close();
            }
            throw e;
        }
    }

    /** Bytes of all rows. */
    public long bytes() {
        return (long) rows * values * type.getSizeInBytes();
    }
}
