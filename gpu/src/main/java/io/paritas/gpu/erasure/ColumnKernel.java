/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.LaunchShape;
import java.util.Arrays;

/**
 * The common part of the kernels. A unit is w strips, and a thread computes one column of all strips: a wide one where
 * everything is aligned, single bytes otherwise and at the end. Byte-local codes have w = 1.
 */
abstract class ColumnKernel implements DeviceKernel {
    /** The width of the column that a thread computes. */
    enum Access {
        WIDE,
        NARROW
    }

    /** The threads of a block. */
    static final int THREADS = 128;

    /** The number of addresses that the kernels of erasure.cu have room for; more than a code needs. */
    static final int MAX_UNITS = 256;

    private final int inputs;
    private final int outputs;
    private final int w;
    private final int wideBytes;

    /** @param wideBytes the bytes of a wide column of one strip: a power of two */
    ColumnKernel(int inputs, int outputs, int w, int wideBytes) {
        checkUnits(inputs, outputs);
        this.inputs = inputs;
        this.outputs = outputs;
        this.w = w;
        this.wideBytes = wideBytes;
    }

    static void checkUnits(int inputs, int outputs) {
        if (inputs + outputs > MAX_UNITS) {
            throw new IllegalArgumentException(
                    "a kernel must read and write at most " + MAX_UNITS + " units, got " + inputs + " and " + outputs);
        }
    }

    /** Computes columns of all strips, from the start of each strip on. */
    abstract void launch(Access access, LaunchShape shape, Columns columns, CudaStream stream);

    /**
     * The columns that a launch computes.
     *
     * @param units the address of the first column in the first strip of each unit
     * @param stripBytes the distance of two strips
     */
    record Columns(long[] units, long stripBytes, long count) {}

    @Override
    public final void apply(DeviceRegions from, DeviceRegions to, CudaStream stream) {
        check(from, to);
        long[] units = from.addressesWith(to);
        long stripBytes = from.length() / w;
        boolean aligned = (w == 1 || stripBytes % wideBytes == 0)
                && Arrays.stream(units).allMatch(address -> address % wideBytes == 0);
        long wide = aligned ? stripBytes / wideBytes : 0;
        if (wide > 0) {
            launch(Access.WIDE, LaunchShape.forElements(wide, THREADS), new Columns(units, stripBytes, wide), stream);
        }
        long done = wide * wideBytes;
        long left = stripBytes - done;
        if (left > 0) {
            long[] rest = Arrays.stream(units).map(address -> address + done).toArray();
            launch(Access.NARROW, LaunchShape.forElements(left, THREADS), new Columns(rest, stripBytes, left), stream);
        }
    }

    private void check(DeviceRegions from, DeviceRegions to) {
        if (from.count() != inputs || to.count() != outputs) {
            throw new IllegalArgumentException("expected " + inputs + " units to read and " + outputs
                    + " to write, got " + from.count() + " and " + to.count());
        }
        if (from.length() != to.length()) {
            throw new IllegalArgumentException("units that are read and written must be equally long, got "
                    + from.length() + " and " + to.length() + " bytes");
        }
        if (from.length() % w != 0) {
            throw new IllegalArgumentException(
                    "the length of a unit must be a multiple of its " + w + " strips, got " + from.length());
        }
    }
}
