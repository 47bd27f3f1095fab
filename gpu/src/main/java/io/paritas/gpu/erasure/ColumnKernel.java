/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.LaunchShape;
import java.util.Arrays;

/**
 * What the kernels share: a unit is w strips, and a thread computes one column of all strips, wide where everything is
 * aligned, else and at the end byte by byte. Byte-local codes are the case w = 1.
 */
abstract class ColumnKernel implements DeviceKernel {
    /** How much of each strip a thread computes. */
    enum Access {
        WIDE,
        NARROW
    }

    /** The threads of a block. */
    static final int THREADS = 128;

    /** More than a code has; the kernels of erasure.cu have room for so many addresses. */
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
                    "A kernel reads and writes at most " + MAX_UNITS + " units; got " + inputs + " and " + outputs);
        }
    }

    /** Computes columns of all strips, the first at the start of each strip. */
    abstract void launch(Access access, LaunchShape shape, Columns columns, CudaStream stream);

    /**
     * What a launch computes.
     *
     * @param units the addresses of all units, of each where the first column of its first strip is
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
            throw new IllegalArgumentException("Expected " + inputs + " units to read and " + outputs
                    + " to write; got " + from.count() + " and " + to.count());
        }
        if (from.length() != to.length()) {
            throw new IllegalArgumentException("Units that are read and units that are written are equally long; got "
                    + from.length() + " and " + to.length() + " bytes");
        }
        if (from.length() % w != 0) {
            throw new IllegalArgumentException(
                    "A unit is cut into " + w + " strips, so its length is a multiple of that; got " + from.length());
        }
    }
}
