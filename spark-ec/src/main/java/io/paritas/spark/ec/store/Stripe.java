/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Partitions that protect each other, and their parity.
 *
 * @param partitions numbers of the partitions that are its data units, at most k
 * @param k data units of the code; those without a partition are empty
 * @param units all k + r units; the parity is as long as the longest data unit
 * @param firstParity number of the first block of its parity
 */
record Stripe(List<Integer> partitions, int k, List<StoredUnit> units, int firstParity) implements Serializable {
    Stripe {
        partitions = List.copyOf(partitions);
        units = List.copyOf(units);
    }

    int unitOf(int partition) {
        return partitions.indexOf(partition);
    }

    /** Whether a unit has no bytes, and is not stored. */
    boolean isEmpty(int unit) {
        return units.get(unit).length() == 0;
    }

    /** The units that have bytes; some may be lost. */
    int[] stored() {
        return IntStream.range(0, units.size()).filter(unit -> !isEmpty(unit)).toArray();
    }

    /** Returns this stripe with some units replaced. */
    Stripe with(Map<Integer, StoredUnit> made) {
        List<StoredUnit> known = new ArrayList<>(units);
        made.forEach(known::set);
        return new Stripe(partitions, k, known, firstParity);
    }
}
