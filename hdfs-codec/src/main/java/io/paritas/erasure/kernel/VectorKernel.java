/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.VectorRowGenerator.Store;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Whole vectors of symbols at a time, with the JDK's incubating Vector API: straight-line code that
 * {@link VectorRowGenerator} writes for each output of the program.
 *
 * <p>The only source that imports that API, so the only class that a JVM without {@code --add-modules
 * jdk.incubator.vector} cannot load.
 */
final class VectorKernel extends TiledKernel {
    /** The widest vectors of this machine; the generated code refers to this field. */
    static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;

    /** The inputs of one generated method: more would spill registers, and meet limits of C2. */
    private static final int MAX_INPUTS = 16;

    /** For each output the row kernels to run one after the other. */
    private final RowKernel[][] rows;

    VectorKernel(Program program) {
        super(program);
        rows = new RowKernel[program.outputs()][];
        for (int output = 0; output < rows.length; output++) {
            rows[output] = row(program.steps(output), program.inputs());
        }
    }

    private static RowKernel[] row(int[] steps, int inputs) {
        RowKernel[] parts = new RowKernel[(inputs + MAX_INPUTS - 1) / MAX_INPUTS];
        for (int part = 0; part < parts.length; part++) {
            int from = part * MAX_INPUTS;
            int[] share = Arrays.stream(steps)
                    .filter(step -> step == Program.TIMES_X || (step >= from && step < from + MAX_INPUTS))
                    .toArray();
            Store store = part == 0 ? Store.OVERWRITE : Store.ADD;
            parts[part] = VectorRowGenerator.generate(MethodHandles.lookup(), share, SPECIES.length(), store);
        }
        return parts;
    }

    /** The width of a vector on this machine, in bits. */
    static int bits() {
        return SPECIES.vectorBitSize();
    }

    @Override
    int bulk(int output, Window in, byte[] target, int at, int size) {
        int done = 0;
        for (RowKernel part : rows[output]) {
            done = part.apply(in.arrays, in.offsets, target, at, size);
        }
        return done;
    }
}
