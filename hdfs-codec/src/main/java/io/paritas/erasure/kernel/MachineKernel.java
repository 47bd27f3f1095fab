/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.machine.MachineCall;
import io.paritas.erasure.kernel.machine.MachineCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Runs machine code that was written for the program, in one part or in several for fewer outputs each. Units shorter than
 * a vector are padded with zeros and take the same code.
 */
final class MachineKernel implements Kernel {
    /** Bytes of each unit in a call. The garbage collector waits for a call, some tens of microseconds. */
    private static final int CHUNK = 128 * 1024;

    /** Code for some of the outputs. */
    private static final class Part {
        final MachineCode code;
        final int[] outputs;
        private final int inputs;
        /** The calls of the code, by where the units are; made when they are needed. */
        private final MachineCall[] calls = new MachineCall[MachineCall.Memory.values().length];

        Part(MachineCode code, int inputs, int[] outputs) {
            this.code = code;
            this.outputs = outputs;
            this.inputs = inputs;
        }

        MachineCall call(MachineCall.Memory memory) {
            MachineCall call = calls[memory.ordinal()];
            if (call == null) {
                call = MachineCall.of(new MachineCall.Shape(inputs, outputs.length, memory));
                calls[memory.ordinal()] = call;
            }
            return call;
        }
    }

    private final Program program;
    private final List<Part> parts;
    private final int step;
    /** Whether copies of arrays have not found direct memory. */
    private volatile boolean outOfMemory;

    /** @throws IllegalArgumentException if the program has too many units for a call */
    MachineKernel(Program program, MachineCode.Check check) {
        if (!fits(program)) {
            throw new IllegalArgumentException("machine code handles up to " + MachineCode.MAX_UNITS + " units, got "
                    + program.inputs() + " inputs and " + program.outputs() + " outputs");
        }
        this.program = program;
        this.parts = parts(program.coefficients(), check);
        this.step = parts.get(0).code.step();
    }

    /** Whether a program has few enough units. */
    static boolean fits(Program program) {
        return program.inputs() + program.outputs() <= MachineCode.MAX_UNITS;
    }

    /** As many outputs together as the processor has registers for. */
    private static List<Part> parts(int[][] rows, MachineCode.Check check) {
        List<Part> parts = new ArrayList<>();
        for (int from = 0; from < rows.length; ) {
            int count = rows.length - from;
            Optional<MachineCode> code = code(Arrays.copyOfRange(rows, from, from + count), check);
            while (code.isEmpty() && count > 1) {
                count /= 2;
                code = code(Arrays.copyOfRange(rows, from, from + count), check);
            }
            parts.add(new Part(
                    code.orElseThrow(),
                    rows[0].length,
                    IntStream.range(from, from + count).toArray()));
            from += count;
        }
        return parts;
    }

    private static Optional<MachineCode> code(int[][] rows, MachineCode.Check check) {
        return MachineCode.of(
                rows, Horner.syndromes(rows).map(steps -> new int[][][] {steps.toSyndromes(), steps.toLost()}), check);
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        outputs.checkWritable(); // nobody else asks, and the code would write, or end the JVM
        if (MachineCode.takesArrays() || Regions.areDirect(inputs, outputs)) {
            applyCode(inputs, outputs);
        } else {
            applyToCopies(inputs, outputs);
        }
    }

    /** Where there is no direct memory for copies, plain Java serves from then on. To compute bytes twice is harmless. */
    private void applyToCopies(Regions inputs, Regions outputs) {
        if (!outOfMemory) {
            try {
                applyCode(inputs, outputs);
                return;
            } catch (OutOfMemoryError e) {
                outOfMemory = true;
                System.getLogger(MachineKernel.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "no direct memory is left for machine code, and plain Java codes arrays from now on; give the JVM"
                                        + " more by -XX:MaxDirectMemorySize",
                                e);
            }
        }
        new PlainKernel(program, Check.current()).apply(inputs, outputs);
    }

    private void applyCode(Regions inputs, Regions outputs) {
        for (Part part : parts) {
            Regions targets = parts.size() == 1 ? outputs : outputs.pick(part.outputs);
            if (inputs.length() >= step) {
                run(part, inputs, targets);
            } else {
                runPadded(part, inputs, targets);
            }
        }
    }

    private void run(Part part, Regions inputs, Regions outputs) {
        boolean arrays = MachineCode.takesArrays();
        if (arrays && inputs.areArrays() && outputs.areArrays()) {
            run(part, MachineCall.Memory.ARRAYS, inputs, inputs.arrays(), outputs, outputs.arrays());
        } else if (arrays || Regions.areDirect(inputs, outputs)) {
            run(part, MachineCall.Memory.BUFFERS, inputs, buffers(inputs), outputs, buffers(outputs));
        } else {
            runStaged(part, inputs, outputs);
        }
    }

    private static ByteBuffer[] buffers(Regions regions) {
        return MachineCode.takesArrays() ? regions.asBuffers() : regions.buffers();
    }

    private void run(
            Part part, MachineCall.Memory memory, Regions inputs, Object[] sources, Regions outputs, Object[] targets) {
        int length = inputs.length();
        int size;
        for (int start = 0; start < length; start += size) {
            size = size(length - start, CHUNK);
            run(part, memory, sources, inputs.offsets(), targets, outputs.offsets(), start, size);
        }
    }

    /** The bytes of the next call: those of a chunk, or all that are left if fewer than a step would remain. */
    private int size(int left, int chunk) {
        return left < chunk + step ? left : chunk;
    }

    private void run(
            Part part,
            MachineCall.Memory memory,
            Object[] sources,
            int[] from,
            Object[] targets,
            int[] to,
            int start,
            int size) {
        if (part.call(memory).run(part.code.memory(), sources, from, targets, to, start, size) != 0) {
            throw new CodingFaultException(program.inputs(), program.outputs());
        }
    }

    /** Copies tile by tile to memory outside the heap and back, where code takes no arrays. */
    private void runStaged(Part part, Regions inputs, Regions outputs) {
        int length = inputs.length();
        int[] starts = new int[MachineCode.MAX_UNITS];
        try (Staging staging = new Staging(inputs.count() + outputs.count(), step)) {
            ByteBuffer[] sources = staging.units(0, inputs.count());
            ByteBuffer[] targets = staging.units(inputs.count(), outputs.count());
            int size;
            for (int start = 0; start < length; start += size) {
                size = size(length - start, staging.tile);
                for (int i = 0; i < sources.length; i++) {
                    inputs.read(i, start, sources[i], size);
                }
                run(part, MachineCall.Memory.BUFFERS, sources, starts, targets, starts, 0, size);
                for (int i = 0; i < targets.length; i++) {
                    outputs.write(i, start, targets[i], size);
                }
            }
        }
    }

    private void runPadded(Part part, Regions inputs, Regions outputs) {
        int size = inputs.length();
        byte[][] sources = new byte[inputs.count()][step];
        byte[][] targets = new byte[outputs.count()][step];
        for (int i = 0; i < sources.length; i++) {
            inputs.read(i, 0, sources[i], size);
        }
        run(part, Regions.of(sources), Regions.of(targets));
        for (int i = 0; i < targets.length; i++) {
            outputs.write(i, 0, targets[i], size);
        }
    }
}
