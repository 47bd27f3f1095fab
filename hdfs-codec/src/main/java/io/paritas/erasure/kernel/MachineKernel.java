/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Runs machine code that was written for the program, in one part or in several for fewer outputs each. The last bytes,
 * fewer than a vector, are padded with zeros and take the same code.
 */
final class MachineKernel implements Kernel {
    /** Bytes of each unit in a call. The garbage collector waits for a call, some tens of microseconds. */
    private static final int CHUNK = 128 * 1024;

    /** Code for some of the outputs. */
    private record Part(MachineCode code, int[] outputs) {}

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
                    code.orElseThrow(), IntStream.range(from, from + count).toArray()));
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
        int length = inputs.length();
        int whole = length / step * step;
        for (Part part : parts) {
            Regions targets = parts.size() == 1 ? outputs : outputs.pick(part.outputs);
            if (whole > 0) {
                run(part.code, inputs, targets, whole);
            }
            if (whole < length) {
                runPadded(part.code, inputs, targets, whole);
            }
        }
    }

    private void run(MachineCode code, Regions inputs, Regions outputs, int length) {
        int units = inputs.count() + outputs.count();
        Object[] memories = new Object[units];
        int[] offsets = new int[units];
        boolean areArrays = open(inputs, memories, offsets, 0) & open(outputs, memories, offsets, inputs.count());
        if (!areArrays) {
            viewArrays(memories);
        }
        MachineCall call = MachineCall.of(
                new MachineCall.Shape(units, areArrays ? MachineCall.Memory.ARRAYS : MachineCall.Memory.SEGMENTS));
        for (int start = 0; start < length; start += CHUNK) {
            if (call.run(code.memory(), memories, offsets, start, Math.min(CHUNK, length - start)) != 0) {
                throw new CodingFaultException(program.inputs(), program.outputs());
            }
        }
    }

    /** Fills in the memory of each region and its start. Returns whether all are arrays. */
    private static boolean open(Regions regions, Object[] memories, int[] offsets, int first) {
        boolean areArrays = true;
        for (int i = 0; i < regions.count(); i++) {
            byte[] array = regions.array(i);
            if (array != null) {
                memories[first + i] = array;
                offsets[first + i] = regions.offset(i);
            } else {
                ByteBuffer buffer = regions.buffer(i).slice(regions.offset(i), regions.length());
                memories[first + i] = Segments.of(buffer);
                areArrays = false;
            }
        }
        return areArrays;
    }

    private static void viewArrays(Object[] memories) {
        for (int i = 0; i < memories.length; i++) {
            if (memories[i] instanceof byte[] array) {
                memories[i] = Segments.of(ByteBuffer.wrap(array));
            }
        }
    }

    private void runPadded(MachineCode code, Regions inputs, Regions outputs, int from) {
        int size = inputs.length() - from;
        byte[][] sources = new byte[inputs.count()][step];
        byte[][] targets = new byte[outputs.count()][step];
        for (int i = 0; i < sources.length; i++) {
            inputs.read(i, from, sources[i], size);
        }
        run(code, Regions.of(sources), Regions.of(targets), step);
        for (int i = 0; i < targets.length; i++) {
            outputs.write(i, from, targets[i], size);
        }
    }
}
