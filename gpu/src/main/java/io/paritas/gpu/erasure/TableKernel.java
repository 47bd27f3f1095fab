/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.GaloisField;
import io.paritas.gpu.CudaFunction;
import io.paritas.gpu.CudaModule;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;

/** The product of any matrix over GF(2<sup>8</sup>) with units, byte by byte: the matrix is a table on the GPU. */
final class TableKernel extends ColumnKernel {
    private static final int WIDE_BYTES = 16;

    /** As in erasure.cu. */
    private static final int OUTPUTS_PER_PASS = 4;

    private static final int BITS = 8;
    private static final int ALL_BYTES = 0x01010101;

    private final int inputs;
    private final int outputs;
    private final DeviceMemory tables;
    private final CudaFunction wide;
    private final CudaFunction narrow;

    /** @param rows one row of coefficients for each output; the thread is bound */
    TableKernel(Gpu gpu, int[][] rows) {
        super(rows[0].length, rows.length, 1, WIDE_BYTES);
        inputs = rows[0].length;
        outputs = rows.length;
        tables = DeviceData.upload(gpu, tables(rows), this);
        CudaModule module = gpu.module("erasure");
        wide = module.function("erasure_bytes_wide");
        narrow = module.function("erasure_bytes_narrow");
    }

    /** For each pass, input, output of the pass and bit b: the coefficient times x<sup>b</sup>, in all bytes of a word. */
    private static int[] tables(int[][] rows) {
        GaloisField field = GaloisField.bytes();
        int inputs = rows[0].length;
        int[] tables = new int[passes(rows.length) * OUTPUTS_PER_PASS * inputs * BITS];
        for (int output = 0; output < rows.length; output++) {
            for (int input = 0; input < inputs; input++) {
                int column = (output / OUTPUTS_PER_PASS * inputs + input) * OUTPUTS_PER_PASS;
                for (int bit = 0; bit < BITS; bit++) {
                    int product = field.multiply(rows[output][input], 1 << bit);
                    tables[(column + output % OUTPUTS_PER_PASS) * BITS + bit] = product * ALL_BYTES;
                }
            }
        }
        return tables;
    }

    private static int passes(int outputs) {
        return (outputs + OUTPUTS_PER_PASS - 1) / OUTPUTS_PER_PASS;
    }

    @Override
    void launch(Access access, LaunchShape shape, Columns columns, CudaStream stream) {
        (access == Access.WIDE ? wide : narrow)
                .launch(
                        shape.withBlocksY(passes(outputs))
                                .withSharedBytes(inputs * OUTPUTS_PER_PASS * BITS * Integer.BYTES),
                        stream,
                        DeviceData.units(columns.units()),
                        tables.address(),
                        inputs,
                        outputs,
                        columns.count());
    }
}
