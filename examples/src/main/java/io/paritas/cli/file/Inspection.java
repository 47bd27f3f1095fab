/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import java.util.SortedMap;

/**
 * The findings of an inspection of units.
 *
 * @param units the units
 * @param troubles the units to repair, and why
 * @param unrecoverable the stripes whose damaged chunks cannot be reconstructed from the others
 * @param inconsistent the stripes whose parity does not fit the data, although the checksums are right
 */
record Inspection(UnitSet units, SortedMap<Integer, String> troubles, Tally unrecoverable, Tally inconsistent) {
    /** Returns whether all units are sound. */
    boolean sound() {
        return troubles.isEmpty() && inconsistent.isEmpty();
    }

    /** Returns whether every unit can be restored. */
    boolean repairable() {
        return unrecoverable.isEmpty() && inconsistent.isEmpty();
    }

    /** The number of bytes read. */
    long bytes() {
        return units.group().unitLength() * units.files().size();
    }

    /** The verdict in a few words. */
    String verdict() {
        if (!inconsistent.isEmpty()) {
            return stripes(inconsistent)
                    + ": the parity does not fit the data although all checksums are right, so that"
                    + " nobody can tell which unit is wrong";
        }
        if (!unrecoverable.isEmpty()) {
            return stripes(unrecoverable) + ": " + units.group().code()
                    + " cannot reconstruct the damaged chunks from those that are left";
        }
        return sound() ? "all units are sound" : "everything can be repaired";
    }

    private String stripes(Tally stripes) {
        return stripes.count() + " of " + units.group().stripes() + " stripes cannot be repaired, the first is stripe "
                + stripes.first();
    }
}
