/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.BaseDeviceMemoryBuffer;
import ai.rapids.cudf.ColumnView;
import ai.rapids.cudf.Cuda;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.erasure.DeviceRegions;
import java.util.Arrays;

/**
 * cuDF's columns and buffers as the units of a {@link io.paritas.gpu.erasure.DeviceKernel}. Views: they hold no reference, so
 * the caller keeps columns and buffers open until the stream was waited for.
 */
public final class CudfRegions {
    private CudfRegions() {}

    /**
     * Each buffer is a unit.
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
                Arrays.stream(buffers).mapToLong(BaseDeviceMemoryBuffer::getAddress).toArray());
    }

    /**
     * The values of each column are a unit; validity and offsets are not touched.
     *
     * @throws IllegalArgumentException if they are not equally long
     */
    public static DeviceRegions of(ColumnView... columns) {
        return of(Arrays.stream(columns).map(ColumnView::getData).toArray(BaseDeviceMemoryBuffer[]::new));
    }

    /**
     * All values of each column of tensors are a unit; for {@code binary} columns, unit j of many stripes: row i is of stripe i, and
     * parity of all of them is one call.
     *
     * @throws IllegalArgumentException if they have not equally many bytes
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
            throw new IllegalArgumentException("The units of a stripe are equally long; unit 0 has " + length
                    + " bytes, unit " + unit + " has " + bytes);
        }
    }

    /**
     * A buffer that is cut into units, one behind another.
     *
     * @throws IllegalArgumentException if its length is no multiple of the count
     */
    public static DeviceRegions cut(BaseDeviceMemoryBuffer buffer, int count) {
        if (count < 1 || buffer.getLength() % count != 0) {
            throw new IllegalArgumentException("A buffer is cut into equal units; got " + buffer.getLength()
                    + " bytes and " + count + " units. Allocate a multiple of the count");
        }
        long length = buffer.getLength() / count;
        return DeviceRegions.of(length, buffer.getAddress(), length, count);
    }

    /** cuDF's stream, for kernels that follow its work, or that it follows. */
    public static CudaStream stream(Cuda.Stream stream) {
        return CudaStream.of(stream.getStream());
    }
}
