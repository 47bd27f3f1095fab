/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.Gpu;
import java.util.BitSet;
import java.util.List;

/**
 * Creates {@link DeviceKernel}s, for data on the GPU that the thread is bound to; a thread that is bound to none is bound to the JVM's.
 *
 * <p>Generated kernels are compiled for one matrix, which takes tenths of a second. Kernels for any matrix exist at once, and are
 * slower. Both compute the same bytes.
 */
public final class DeviceKernels {
    private DeviceKernels() {}

    /**
     * Returns a product over bytes, such as the encoding of an {@link io.paritas.erasure.ErasureCode} ({@code
     * Program.product(code.generator().toRows())}) or one of its repairs ({@code plan.program()}). Generated for the
     * program, if a thread's registers can hold its values.
     */
    public static DeviceKernel bytes(Program program) {
        ColumnKernel.checkUnits(program.inputs(), program.outputs());
        Gpu gpu = bound();
        return GeneratedPtx.of(program)
                .<DeviceKernel>map(ptx -> new GeneratedKernel(gpu, ptx))
                .orElseGet(() -> new TableKernel(gpu, program.coefficients()));
    }

    /** As {@link #bytes}, with the kernel for any matrix. */
    public static DeviceKernel bytesOfAnyMatrix(Program program) {
        return new TableKernel(bound(), program.coefficients());
    }

    /**
     * Returns a product over strips, such as the encoding of a {@link io.paritas.erasure.StripCode}, in its layout STRIPS ({@code
     * BitMatrix.rows(code.generator())}). Generated for the rows, if a thread's registers can hold its values.
     *
     * @param w the strips of each unit
     * @param inputs the units that are read
     * @param rows for each output strip the input strips whose xor it is; whole units
     */
    public static DeviceKernel strips(int w, int inputs, List<BitSet> rows) {
        check(w, inputs, rows);
        Gpu gpu = bound();
        return GeneratedPtx.of(w, inputs, rows)
                .<DeviceKernel>map(ptx -> new GeneratedKernel(gpu, ptx))
                .orElseGet(() -> new MaskKernel(gpu, w, inputs, rows));
    }

    /**
     * As {@link #strips}, with the kernel for any bitmatrix.
     *
     * @throws IllegalArgumentException if more than 768 strips are read
     */
    public static DeviceKernel stripsOfAnyMatrix(int w, int inputs, List<BitSet> rows) {
        check(w, inputs, rows);
        return new MaskKernel(bound(), w, inputs, rows);
    }

    private static Gpu bound() {
        Gpu gpu = Gpu.current();
        gpu.bind();
        return gpu;
    }

    private static void check(int w, int inputs, List<BitSet> rows) {
        if (w < 1 || inputs < 1 || rows.isEmpty() || rows.size() % w != 0) {
            throw new IllegalArgumentException("the rows must be whole units of w strips, got w = " + w + ", " + inputs
                    + " units to read and " + rows.size() + " rows");
        }
        for (BitSet row : rows) {
            if (row.length() > inputs * w) {
                throw new IllegalArgumentException(
                        "a row must be a set of the strips 0 to " + (inputs * w - 1) + ", got " + row);
            }
        }
    }
}
