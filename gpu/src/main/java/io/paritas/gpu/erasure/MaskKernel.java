/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaFunction;
import io.paritas.gpu.CudaModule;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.BitSet;
import java.util.List;

/** The product of any bitmatrix with strips: the matrix is data, a mask for each of its bits. */
final class MaskKernel extends ColumnKernel {
    private static final int WIDE_BYTES = 16;

    /** As in erasure.cu. */
    private static final int STRIPS_PER_PASS = 16;

    /** The strips whose masks fit into a block's shared memory on every GPU. */
    static final int MAX_STRIPS = (48 << 10) / (STRIPS_PER_PASS * Integer.BYTES);

    private final int inputs;
    private final int rows;
    private final int w;
    private final DeviceMemory masks;
    private final CudaFunction wide;
    private final CudaFunction narrow;

    /** @param rows for each output strip the input strips whose xor it is; the thread is bound */
    MaskKernel(Gpu gpu, int w, int inputs, List<BitSet> rows) {
        super(inputs, rows.size() / w, w, WIDE_BYTES);
        if (inputs * w > MAX_STRIPS) {
            throw new IllegalArgumentException(
                    "a bitmatrix must read at most " + MAX_STRIPS + " strips, got " + inputs + " units of " + w);
        }
        this.inputs = inputs;
        this.rows = rows.size();
        this.w = w;
        masks = DeviceData.upload(gpu, masks(rows, inputs * w), this);
        CudaModule module = gpu.module("erasure");
        wide = module.function("erasure_strips_wide");
        narrow = module.function("erasure_strips_narrow");
    }

    private static int[] masks(List<BitSet> rows, int strips) {
        int[] masks = new int[passes(rows.size()) * STRIPS_PER_PASS * strips];
        for (int row = 0; row < rows.size(); row++) {
            int start = row * strips;
            rows.get(row).stream().forEach(strip -> masks[start + strip] = -1);
        }
        return masks;
    }

    private static int passes(int rows) {
        return (rows + STRIPS_PER_PASS - 1) / STRIPS_PER_PASS;
    }

    @Override
    void launch(Access access, LaunchShape shape, Columns columns, CudaStream stream) {
        (access == Access.WIDE ? wide : narrow)
                .launch(
                        shape.withBlocksY(passes(rows)).withSharedBytes(inputs * w * STRIPS_PER_PASS * Integer.BYTES),
                        stream,
                        DeviceData.units(columns.units()),
                        masks.address(),
                        inputs,
                        rows,
                        w,
                        columns.stripBytes(),
                        columns.count());
    }
}
