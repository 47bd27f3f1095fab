/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.Erasures;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Writes the damaged units anew, each beside its old file until all of them are complete.
 *
 * @param units the units
 * @param damaged those to write
 */
record Repairer(UnitSet units, Erasures damaged) {
    /**
     * Repairs the units that an inspection has found to be damaged.
     *
     * @return how many units were read for it
     * @throws UnitsException if not all of them can be repaired; then none is
     */
    static int repair(Inspection inspection) throws IOException {
        if (!inspection.repairable()) {
            throw new UnitsException(inspection.verdict());
        }
        int[] damaged = inspection.troubles().keySet().stream()
                .mapToInt(Integer::intValue)
                .toArray();
        return new Repairer(inspection.units(), Erasures.of(damaged)).repair();
    }

    private int repair() throws IOException {
        try (UnitReaders readers = new UnitReaders(units);
                PendingFiles repaired = PendingFiles.in(units.directory())) {
            repair(readers, create(repaired));
            repaired.publish(Access.commonTo(List.copyOf(units.files().values())));
            return readers.unitsRead();
        }
    }

    /** Starts each unit with its header. */
    private SortedMap<Integer, FileChannel> create(PendingFiles repaired) throws IOException {
        SortedMap<Integer, FileChannel> outputs = new TreeMap<>();
        for (int unit : damaged.toArray()) {
            FileChannel output = repaired.add(units.repairTarget(unit));
            new UnitHeader(units.group(), unit).write(output);
            outputs.put(unit, output);
        }
        return outputs;
    }

    private void repair(UnitReaders readers, SortedMap<Integer, FileChannel> outputs) throws IOException {
        UnitGroup group = units.group();
        Reconstruction reconstruction = new Reconstruction(group.code().erasureCode());
        StripeBuffer buffer = new StripeBuffer(group);
        try (Progress progress = Progress.of("repair", group.fileLength())) {
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                reconstruction.obtain(damaged, stripe, readers, buffer);
                buffer.write(outputs);
                progress.advance(group.dataLength(stripe));
            }
        }
    }
}
