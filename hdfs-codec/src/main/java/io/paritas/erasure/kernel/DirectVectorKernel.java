/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.VectorKernelGenerator.Access;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The code of a {@link VectorKernel} once more, for regions outside the heap: it loads and stores direct buffers where
 * they are, through memory segments on JDK 19 and newer, through byte buffers before. The last bytes, fewer than a step,
 * go through the arrays of the other kernel.
 */
final class DirectVectorKernel implements Kernel {
    private static final int SEGMENTS_SINCE = 19;
    private static final Access ACCESS =
            Runtime.version().feature() >= SEGMENTS_SINCE ? Access.SEGMENTS : Access.BUFFERS;

    private final VectorKernel arrays;
    private final List<VectorMethod> code;

    DirectVectorKernel(VectorKernel arrays) {
        this.arrays = arrays;
        this.code = arrays.generate(ACCESS);
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        outputs.checkWritable(); // memory segments would throw something else, after a part is written
        int length = inputs.length();
        int whole = length / arrays.step * arrays.step;
        if (whole > 0) {
            Object[] sources = new Object[inputs.count()];
            Object[] targets = new Object[outputs.count()];
            int[] from = open(inputs, sources);
            int[] to = open(outputs, targets);
            VectorKernel.Folding pass = arrays.begin(code);
            int size;
            for (int start = 0; start < whole; start += size) {
                size = Math.min(arrays.tile, whole - start);
                pass.apply(sources, from, targets, to, start, size);
            }
            pass.end();
        }
        if (whole < length) {
            arrays.apply(inputs.slice(whole, length - whole), outputs.slice(whole, length - whole));
        }
    }

    /** Fills in the memory of each region, and returns where the region starts in it. */
    private static int[] open(Regions regions, Object[] memories) {
        int[] offsets = new int[memories.length];
        for (int i = 0; i < memories.length; i++) {
            ByteBuffer buffer = regions.buffer(i);
            if (ACCESS == Access.BUFFERS) {
                memories[i] = buffer;
                offsets[i] = regions.offset(i);
            } else { // starts with the region
                memories[i] = Segments.of(buffer.slice(regions.offset(i), regions.length()));
            }
        }
        return offsets;
    }
}
