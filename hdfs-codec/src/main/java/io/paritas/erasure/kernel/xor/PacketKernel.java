/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.concurrent.atomic.AtomicReference;

/** Runs a program over units whose strips are interleaved in packets, several groups at a time. */
final class PacketKernel implements StripKernel {
    private final PacketLayout layout;
    private final PacketRunner runner;
    private final StripFolds folds;
    /** The scratch memory of the last run, for the next one. */
    private final AtomicReference<byte[]> spare = new AtomicReference<>();

    /** @param folds check the units as rows */
    PacketKernel(PacketLayout layout, PacketRunner runner, StripFolds folds) {
        this.layout = layout;
        this.runner = runner;
        this.folds = folds;
    }

    @Override
    public void apply(Strips inputs, Strips outputs) {
        int window = PacketRunner.GROUPS * layout.groupBytes();
        byte[] last = spare.getAndSet(null);
        byte[] scratch = last != null ? last : new byte[PacketRunner.GROUPS * layout.scratchBytes()];
        byte[][] arrays = new byte[layout.units() + 1][];
        int[] offsets = new int[arrays.length];
        arrays[layout.units()] = scratch;
        StripFolds.Sums sums = folds.begin();
        int size;
        for (int start = 0; start < inputs.unitLength(); start += size) {
            size = Math.min(window, inputs.unitLength() - start); // the last one may end at 2^31 - 1
            show(inputs, 0, arrays, offsets, start, size);
            show(outputs, layout.inputs(), arrays, offsets, start, size);
            load(inputs, arrays, start, size);
            sums.addInputs(arrays, offsets, size);
            runner.run(arrays, offsets, size / layout.groupBytes());
            sums.addOutputs(arrays, offsets, size);
            store(outputs, arrays, start, size);
        }
        spare.set(scratch);
        sums.check(inputs, outputs);
    }

    /** Shows a window of each unit, in its array or in a copy. */
    private static void show(Strips strips, int first, byte[][] arrays, int[] offsets, int start, int size) {
        for (int unit = 0; unit < strips.units(); unit++) {
            boolean inPlace = strips.unitArray(unit) != null;
            if (inPlace) {
                arrays[first + unit] = strips.unitArray(unit);
            } else if (arrays[first + unit] == null) {
                arrays[first + unit] = new byte[size];
            }
            offsets[first + unit] = inPlace ? strips.unitOffset(unit) + start : 0;
        }
    }

    private static void load(Strips inputs, byte[][] arrays, int start, int size) {
        for (int unit = 0; unit < inputs.units(); unit++) {
            if (inputs.unitArray(unit) == null) {
                inputs.readUnit(unit, start, arrays[unit], size);
            }
        }
    }

    private void store(Strips outputs, byte[][] arrays, int start, int size) {
        for (int unit = 0; unit < outputs.units(); unit++) {
            if (outputs.unitArray(unit) == null) {
                outputs.writeUnit(unit, start, arrays[layout.inputs() + unit], size);
            }
        }
    }
}
