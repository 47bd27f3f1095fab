/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.file.Reconstruction;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.StripeReader;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.stream.IntStream;

/** Reads and checks every byte of the units once; changes nothing. */
final class Inspector {
    private final UnitSet units;
    private final UnitGroup group;
    private final SystematicCode code;
    private final Reconstruction reconstruction;
    private final StripeBuffer buffer;

    /** The stripes with a damaged chunk, for each unit. */
    private final Tally[] damaged;

    private Tally unrecoverable = Tally.NONE;
    private Tally inconsistent = Tally.NONE;

    private Inspector(UnitSet units) {
        this.units = units;
        group = units.group();
        code = group.code().systematicCode();
        reconstruction = new Reconstruction(code);
        buffer = new StripeBuffer(group);
        damaged = new Tally[group.code().n()];
        Arrays.fill(damaged, Tally.NONE);
    }

    /** Checks every chunk of the units against its checksum, and the parity against the data. */
    static Inspection inspect(UnitSet units) throws IOException {
        Inspector inspector = new Inspector(units);
        inspector.readAll();
        return new Inspection(units, inspector.troubles(), inspector.unrecoverable, inspector.inconsistent);
    }

    /** Reports only the units that are unusable as a whole, without reading more. */
    static Inspection inspectHeaders(UnitSet units) {
        return new Inspection(units, units.lost(), Tally.NONE, Tally.NONE);
    }

    private void readAll() throws IOException {
        Erasures all = Erasures.of(IntStream.range(0, group.code().n()).toArray());
        try (UnitReaders readers = new UnitReaders(units);
                Progress progress = Progress.of("verify", group.fileLength())) {
            StripeReader reader = new StripeReader(group, readers);
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                reader.begin(stripe, buffer);
                check(stripe, reader.read(all));
                progress.advance(group.dataLength(stripe));
            }
        }
    }

    /** Checks the reconstructed stripe by the parity that reconstruction did not need. */
    private void check(long stripe, Erasures erasures) {
        erasures.stream().forEach(unit -> damaged[unit] = damaged[unit].and(stripe));
        if (erasures.size() > 0 && !code.canReconstruct(erasures)) {
            unrecoverable = unrecoverable.and(stripe);
            return;
        }
        reconstruction.replace(erasures, erasures, buffer);
        if (!code.verify(buffer.data(), buffer.parity())) {
            inconsistent = inconsistent.and(stripe);
        }
    }

    private SortedMap<Integer, String> troubles() {
        SortedMap<Integer, String> troubles = units.lost();
        units.files().keySet().stream()
                .filter(unit -> !damaged[unit].isEmpty())
                .forEach(unit -> troubles.put(unit, trouble(damaged[unit])));
        return troubles;
    }

    private String trouble(Tally stripes) {
        return stripes.count() + " of " + group.stripes() + " chunks damaged, the first in stripe " + stripes.first();
    }
}
