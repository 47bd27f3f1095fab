/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.RowGroupGenerator.Row;
import io.paritas.erasure.kernel.RowGroupGenerator.Store;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Whole vectors of symbols at a time, with the JDK's incubating Vector API: straight-line code that
 * {@link RowGroupGenerator} writes for the program's outputs.
 *
 * <p>The only source that imports that API, so the only class that a JVM without {@code --add-modules
 * jdk.incubator.vector} cannot load.
 */
final class VectorKernel extends TiledKernel {
    /** The widest vectors of this machine; the generated code refers to this field. */
    static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;

    /** The inputs of one generated method: more would spill registers. */
    private static final int MAX_INPUTS = 16;

    /** The steps of one generated method: RS(10,4) has 188, and C2 compiles them well. */
    private static final int MAX_STEPS = 200;

    private final RowGroup[] groups;

    VectorKernel(Program program) {
        super(program);
        List<RowGroup> parts = new ArrayList<>();
        for (int from = 0; from < program.outputs(); ) {
            int to = groupEnd(from);
            for (int input = 0; input < program.inputs(); input += MAX_INPUTS) {
                parts.add(group(from, to, input));
            }
            from = to;
        }
        groups = parts.toArray(RowGroup[]::new);
    }

    /** The outputs that one method computes: as many as its steps allow, and one at least. */
    private int groupEnd(int from) {
        int to = from;
        int steps = 0;
        do {
            steps += program.steps(to).length;
            to++;
        } while (to < program.outputs() && steps + program.steps(to).length <= MAX_STEPS);
        return to;
    }

    /** The share of the inputs from this one on in some outputs; the first share stores, the others add. */
    private RowGroup group(int firstOutput, int endOutput, int firstInput) {
        Store store = firstInput == 0 ? Store.OVERWRITE : Store.ADD;
        List<Row> rows = IntStream.range(firstOutput, endOutput)
                .mapToObj(output -> new Row(output, share(program.steps(output), firstInput)))
                .toList();
        return RowGroupGenerator.generate(MethodHandles.lookup(), rows, SPECIES.length(), store);
    }

    private static int[] share(int[] steps, int firstInput) {
        return Arrays.stream(steps)
                .filter(step -> step == Program.TIMES_X || (step >= firstInput && step < firstInput + MAX_INPUTS))
                .toArray();
    }

    /** The width of a vector on this machine, in bits. */
    static int bits() {
        return SPECIES.vectorBitSize();
    }

    @Override
    int bulk(Window in, Window out, int size) {
        int done = 0;
        for (RowGroup group : groups) {
            done = group.apply(in.arrays, in.offsets, out.arrays, out.offsets, size);
        }
        return done;
    }
}
