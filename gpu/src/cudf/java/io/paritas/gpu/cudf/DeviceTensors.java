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
 * A column of tensors on the GPU, as kernels read it. It holds no reference to the column: keep the column open until the stream
 * is done.
 *
 * @param address of the first value of row 0, rows follow without gaps; 0 if there are no rows
 * @param rows number of rows
 * @param values in a row; 0 if there are no rows
 * @param type of a value: FLOAT32, UINT8 or INT8
 */
public record DeviceTensors(long address, int rows, int values, DType type) {
    /**
     * Returns the values of a column. Its offsets, 4 bytes for each row, are copied to the host and checked; the values are not
     * copied.
     *
     * @throws IllegalArgumentException if the column does not have equally long lists of FLOAT32, UINT8 or INT8, has nulls, or is
     *     a view of a part of another
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
                    : child.getData().getAddress()
                            + layout.first() * child.getType().getSizeInBytes();
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
            throw new IllegalArgumentException("a column must be whole: copy a part first, by copyToColumnVector, got "
                    + column.getRowCount() + " rows with " + column.getOffsets().getLength() / Integer.BYTES
                    + " offsets");
        }
        try (HostMemoryBuffer offsets = HostMemoryBuffer.allocate(bytes, true)) {
            offsets.copyFromDeviceBuffer(column.getOffsets());
            return TensorLayout.of(column.getRowCount(), column.getNullCount(), offsets);
        }
    }

    /**
     * Makes a column of the values that a kernel wrote, without copying them. The kernel must be done, or be in a stream that cuDF's
     * default stream waits for.
     *
     * @param type of a value: FLOAT32, UINT8 or INT8
     * @param rows at least 1
     * @param values in a row, at least 1
     * @param data exactly these values; the column closes it, this method if it fails
     * @throws IllegalArgumentException if the data has another size
     */
    public static ColumnVector column(DType type, int rows, int values, DeviceMemoryBuffer data) {
        try {
            TensorLayout.check(DType.LIST, type, 0);
            if (rows < 1
                    || values < 1
                    || data.getLength() != (long) rows * values * type.getSizeInBytes()
                    || (long) rows * values > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("a column must have at least 1 row of at least 1 value, and"
                        + " fewer than 2^31 values, got " + rows + " rows of " + values + " values of " + type + " in "
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
            return new ColumnVector(DType.LIST, rows, Optional.of(0L), null, null, offsets, List.of(data), new long[] {
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

    /** The bytes of all rows. */
    public long bytes() {
        return (long) rows * values * type.getSizeInBytes();
    }
}
