/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.machine.MachineCode;
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
        MachineCall.Memory memory;
        Object[] sources;
        Object[] targets;
        if (inputs.areArrays() && outputs.areArrays()) {
            memory = MachineCall.Memory.ARRAYS;
            sources = inputs.arrays();
            targets = outputs.arrays();
        } else {
            memory = MachineCall.Memory.BUFFERS;
            sources = inputs.asBuffers();
            targets = outputs.asBuffers();
        }
        MachineCall call = part.call(memory);
        int length = inputs.length();
        int size;
        for (int start = 0; start < length; start += size) {
            size = length - start < CHUNK + step ? length - start : CHUNK;
            if (call.run(part.code.memory(), sources, inputs.offsets(), targets, outputs.offsets(), start, size) != 0) {
                throw new CodingFaultException(program.inputs(), program.outputs());
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
