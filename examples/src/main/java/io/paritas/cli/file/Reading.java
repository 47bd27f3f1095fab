/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.StripeReader;
import java.util.stream.IntStream;

/**
 * What was met while units were read. Units that were not needed were not looked at.
 *
 * @param units how many were read
 * @param damaged those that are missing, or have a damaged chunk
 */
record Reading(int units, Erasures damaged) {
    /** What a reader has met so far. */
    static Reading of(StripeReader reader, UnitSet units) {
        int[] missing = IntStream.range(0, units.group().code().n())
                .filter(unit -> !units.files().containsKey(unit))
                .toArray();
        return new Reading(reader.unitsRead(), reader.damaged().union(Erasures.of(missing)));
    }

    /** The same when some units are whole again. */
    Reading without(Erasures repaired) {
        return new Reading(
                units,
                Erasures.of(damaged.stream()
                        .filter(unit -> !repaired.contains(unit))
                        .toArray()));
    }
}
