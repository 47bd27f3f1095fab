/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.VectorKernelGenerator.Access;
import io.paritas.erasure.kernel.VectorKernelGenerator.Feature;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Computes whole vectors of symbols with the JDK's incubating Vector API: straight-line code that
 * {@link VectorKernelGenerator} writes for the program, or for parts of it if the whole is too large for one method.
 *
 * <p>The only source of this package that imports that API, so the only class that a JVM without {@code --add-modules
 * jdk.incubator.vector} cannot load.
 */
final class VectorKernel extends TiledKernel {
    /** The widest vectors of this machine; the generated code refers to this field. */
    static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;

    /** Most inputs of one generated method: more would spill registers. */
    private static final int MAX_INPUTS = 16;

    /**
     * Most calls of the Vector API in one generated method; RS(10,4) has about 255. C2 compiles no method of more than
     * 8,000 bytes. From its 18,000th node on it delays inlining to a later phase, which leaves some methods slow.
     */
    private static final int MAX_CALLS = 270;

    private static final byte[] NOTHING = {};

    private final Program program;
    private final Schedule schedule;
    private final Check check;
    private final Folds folds;
    /** The parts of the program that the methods compute. */
    private final List<VectorKernelGenerator.Part> parts;

    private final List<VectorMethod> methods;
    /** Checks the folded equations: the methods themselves, except in tests. */
    private final List<VectorMethod> checking;

    VectorKernel(Program program, Schedule schedule, Check check) {
        this(program, program, schedule, check);
    }

    /**
     * Creates a kernel whose folds are checked with another program than the one that it computes.
     *
     * @param computed the program itself, or in tests one that makes mistakes; its additional inputs follow those of
     *     the program
     */
    VectorKernel(Program program, Program computed, Schedule schedule, Check check) {
        super(schedule.tile(), SPECIES.length() * schedule.vectors());
        this.program = program;
        this.schedule = schedule;
        this.check = check;
        this.folds = new Folds(
                computed.inputs(),
                computed.outputs(),
                SPECIES.length(),
                SPECIES.length() * Math.max(2, schedule.vectors()));
        this.parts = parts(computed);
        this.methods = generate(Access.ARRAYS);
        this.checking = computed == program ? methods : generate(parts(program), Access.ARRAYS);
    }

    /**
     * Cuts a program into parts. The results of the first share of the inputs are stored, those of the others are
     * added.
     */
    private List<VectorKernelGenerator.Part> parts(Program whole) {
        int[][] coefficients = whole.coefficients();
        List<VectorKernelGenerator.Part> wholeInParts = new ArrayList<>();
        for (int first = 0; first < whole.inputs(); first += MAX_INPUTS) {
            int[] inputs = IntStream.range(first, Math.min(whole.inputs(), first + MAX_INPUTS))
                    .toArray();
            int[][] share = Arrays.stream(coefficients)
                    .map(row -> Arrays.stream(inputs).map(input -> row[input]).toArray())
                    .toArray(int[][]::new);
            for (int output = 0; output < share.length; ) {
                Program part = part(whole, share, output);
                int[] outputs = IntStream.range(output, output + part.outputs()).toArray();
                Set<Feature> features = features(whole, inputs, outputs);
                wholeInParts.add(new VectorKernelGenerator.Part(part, inputs, outputs, folds.inputs(), features));
                output += part.outputs();
            }
        }
        return wholeInParts;
    }

    /**
     * Returns a program for the rows from this one on: as many as the schedule and the size of their code allow, at
     * least one.
     */
    private Program part(Program whole, int[][] rows, int from) {
        int count = Math.min(rows.length - from, schedule.outputs());
        while (true) {
            Program part = optimised(whole, Arrays.copyOfRange(rows, from, from + count));
            if (count == 1 || calls(part) * schedule.vectors() <= MAX_CALLS) {
                return part;
            }
            count = (count + 1) / 2;
        }
    }

    private Program optimised(Program whole, int[][] rows) {
        return switch (schedule.optimisation()) {
            case NONE ->
                rows.length == whole.outputs() && rows[0].length == whole.inputs() ? whole : Program.product(rows);
            case BINARY -> Horner.optimise(rows, Horner.Xors.BINARY);
            case TERNARY -> Horner.optimise(rows, Horner.Xors.TERNARY);
        };
    }

    /**
     * Returns the calls of the Vector API in one turn of the loop: two for each load and store, because of the folds.
     */
    private static int calls(Program part) {
        return part.xors()
                + part.timesX() * VectorKernelGenerator.CALLS_OF_TIMES_X
                + 2 * (part.inputs() + part.outputs());
    }

    private Set<Feature> features(Program whole, int[] inputs, int[] outputs) {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        if (inputs[0] > 0) {
            features.add(Feature.ADD);
        }
        if (check == Check.FOLD && outputs[0] == 0) {
            features.add(Feature.FOLD_INPUTS);
        }
        if (check == Check.FOLD && inputs[inputs.length - 1] == whole.inputs() - 1) {
            features.add(Feature.FOLD_OUTPUTS);
        }
        return features;
    }

    /** Returns the width of a vector on this machine, in bits. */
    static int bits() {
        return SPECIES.vectorBitSize();
    }

    @Override
    Pass begin() {
        return new Folding(methods);
    }

    /** Starts a pass with other code than this kernel's own, but with its checks. */
    Folding begin(List<VectorMethod> code) {
        return new Folding(code);
    }

    /** Generates this kernel's code for a kind of memory. */
    List<VectorMethod> generate(Access access) {
        return generate(parts, access);
    }

    private List<VectorMethod> generate(List<VectorKernelGenerator.Part> some, Access access) {
        return some.stream()
                .map(part -> VectorKernelGenerator.generate(
                        MethodHandles.lookup(), part, access, schedule, SPECIES.length()))
                .toList();
    }

    /** A pass that adds up the folds of its tiles, and checks the sums at the end. */
    final class Folding implements Pass {
        private final List<VectorMethod> code;
        private final byte[] tileFolds = check == Check.NONE ? NOTHING : folds.allocateTile();
        private final byte[] sums = check == Check.NONE ? NOTHING : folds.allocate();

        private Folding(List<VectorMethod> code) {
            this.code = code;
        }

        @Override
        public void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size) {
            apply(inputs, offsets, outputs, outputOffsets, 0, size);
        }

        void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int start, int size) {
            for (VectorMethod method : code) {
                method.apply(inputs, offsets, outputs, outputOffsets, start, size, tileFolds);
            }
            if (check == Check.FOLD) {
                folds.add(tileFolds, sums);
            }
        }

        /** @throws CodingFaultException if the folds of the outputs do not match those of the inputs */
        @Override
        public void end() {
            if (check == Check.NONE) {
                return;
            }
            folds.check(program, sums, this::checkingPass);
        }

        private void checkingPass(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size) {
            for (VectorMethod method : checking) {
                method.apply(inputs, offsets, outputs, outputOffsets, 0, size, tileFolds);
            }
        }
    }
}
