/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaFunction;
import io.paritas.gpu.CudaModule;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A product with one matrix, compiled for it: {@link GeneratedPtx}. */
final class GeneratedKernel extends ColumnKernel {
    private final List<CudaFunction> wide;
    private final List<CudaFunction> narrow;

    /** Assembles the kernel, which takes tenths of a second; the thread is bound. */
    GeneratedKernel(Gpu gpu, GeneratedPtx generated) {
        super(
                generated.layout().inputs(),
                generated.layout().outputs(),
                generated.layout().w(),
                generated.words() * Integer.BYTES);
        CudaModule module = DeviceData.assemble(gpu, "generated", generated.text(), this);
        wide = functions(module, Access.WIDE, generated.passes());
        narrow = functions(module, Access.NARROW, generated.passes());
    }

    private static List<CudaFunction> functions(CudaModule module, Access access, int passes) {
        return IntStream.range(0, passes)
                .mapToObj(pass -> module.function(GeneratedPtx.entry(access, pass)))
                .toList();
    }

    @Override
    void launch(Access access, LaunchShape shape, Columns columns, CudaStream stream) {
        long[] units = Arrays.copyOf(columns.units(), columns.units().length);
        for (CudaFunction pass : access == Access.WIDE ? wide : narrow) {
            pass.launch(shape, stream, units, columns.stripBytes(), columns.count());
        }
    }
}
