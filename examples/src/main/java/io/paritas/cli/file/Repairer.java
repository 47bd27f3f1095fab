/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Pending;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.Reconstruction;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.StripeReader;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rebuilds damaged units, each beside its old file until all of them are complete.
 *
 * @param units the units
 * @param damaged the units to rebuild
 */
record Repairer(UnitSet units, Erasures damaged) {
    /**
     * Repairs the units that an inspection found damaged.
     *
     * @return what was read, and damage in units that were not rebuilt
     * @throws UnitsException if some cannot be repaired; then none is
     */
    static Reading repair(Inspection inspection) throws IOException {
        if (!inspection.repairable()) {
            throw new UnitsException(inspection.verdict());
        }
        int[] damaged = inspection.troubles().keySet().stream()
                .mapToInt(Integer::intValue)
                .toArray();
        return new Repairer(inspection.units(), Erasures.of(damaged)).repair();
    }

    private Reading repair() throws IOException {
        try (UnitReaders readers = new UnitReaders(units);
                PendingFiles repaired = PendingFiles.in(units.directory(), PendingFiles.Existing.REPLACED)) {
            StripeReader reader = new StripeReader(units.group(), readers);
            repair(reader, create(repaired));
            repaired.publish(Access.commonTo(List.copyOf(units.files().values())));
            return Reading.of(reader, units).without(damaged);
        }
    }

    /** Writes the header of each unit. Of units that are links to the same file, the first one gets it. */
    private SortedMap<Integer, Pending> create(PendingFiles repaired) throws IOException {
        SortedMap<Integer, Pending> outputs = new TreeMap<>();
        Set<Path> targets = new HashSet<>();
        for (int unit : damaged.toArray()) {
            Path target = units.repairTarget(unit);
            Pending output = repaired.add(targets.add(target) ? target : units.place(unit));
            output.write(new UnitHeader(units.group(), unit).bytes());
            outputs.put(unit, output);
        }
        return outputs;
    }

    private void repair(StripeReader reader, SortedMap<Integer, Pending> outputs) throws IOException {
        UnitGroup group = units.group();
        Reconstruction reconstruction = new Reconstruction(group.code().systematicCode());
        StripeBuffer buffer = new StripeBuffer(group);
        try (Progress progress = Progress.of("repair", group.fileLength())) {
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                reconstruction.obtain(damaged, stripe, reader, buffer);
                Transfers.write(outputs, buffer);
                progress.advance(group.dataLength(stripe));
            }
        }
    }
}
