/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.BaseDeviceMemoryBuffer;
import ai.rapids.cudf.ColumnView;
import ai.rapids.cudf.Cuda;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.erasure.DeviceRegions;
import java.util.Arrays;

/**
 * Views of cuDF's columns and buffers as the units of a {@link io.paritas.gpu.erasure.DeviceKernel}. They hold no reference: keep
 * columns and buffers open until the stream is done.
 */
public final class CudfRegions {
    private CudfRegions() {}

    /**
     * Returns buffers as units.
     *
     * @throws IllegalArgumentException if they are not equally long
     */
    public static DeviceRegions of(BaseDeviceMemoryBuffer... buffers) {
        long length = buffers.length == 0 ? 0 : buffers[0].getLength();
        for (int i = 0; i < buffers.length; i++) {
            checkLength(length, i, buffers[i].getLength());
        }
        return DeviceRegions.of(
                length,
                Arrays.stream(buffers)
                        .mapToLong(BaseDeviceMemoryBuffer::getAddress)
                        .toArray());
    }

    /**
     * Returns the values of each column as a unit; validity and offsets are ignored.
     *
     * @throws IllegalArgumentException if they are not equally long
     */
    public static DeviceRegions of(ColumnView... columns) {
        return of(Arrays.stream(columns).map(ColumnView::getData).toArray(BaseDeviceMemoryBuffer[]::new));
    }

    /**
     * Returns all values of each column of tensors as a unit. With {@code binary} columns, row i of column j can be unit j of stripe
     * i: one call then computes the parity of all stripes.
     *
     * @throws IllegalArgumentException if the columns have different numbers of bytes
     */
    public static DeviceRegions of(DeviceTensors... columns) {
        long length = columns.length == 0 ? 0 : columns[0].bytes();
        for (int i = 0; i < columns.length; i++) {
            checkLength(length, i, columns[i].bytes());
        }
        return DeviceRegions.of(
                length, Arrays.stream(columns).mapToLong(DeviceTensors::address).toArray());
    }

    private static void checkLength(long length, int unit, long bytes) {
        if (bytes != length) {
            throw new IllegalArgumentException("the units of a stripe must be equally long, unit 0 has " + length
                    + " bytes, unit " + unit + " has " + bytes);
        }
    }

    /**
     * Returns the parts of a buffer as units, one behind another.
     *
     * @throws IllegalArgumentException if its length is not a multiple of the count
     */
    public static DeviceRegions cut(BaseDeviceMemoryBuffer buffer, int count) {
        if (count < 1 || buffer.getLength() % count != 0) {
            throw new IllegalArgumentException("a buffer must be a whole number of equal units, got"
                    + " " + buffer.getLength()
                    + " bytes and " + count + " units: allocate a multiple of the count");
        }
        long length = buffer.getLength() / count;
        return DeviceRegions.of(length, buffer.getAddress(), length, count);
    }

    /** Wraps cuDF's stream, for kernels that run before or after cuDF's work. */
    public static CudaStream stream(Cuda.Stream stream) {
        return CudaStream.of(stream.getStream());
    }
}
