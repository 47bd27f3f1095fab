/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final int HEAD = 4;

    Stripe {
        partitions = List.copyOf(partitions);
        units = List.copyOf(units);
    }

    /** It as numbers: how many partitions and units, k, the first parity, the partitions, lengths and checksums of the units. */
    IntStream numbers() {
        IntStream head = IntStream.of(partitions.size(), units.size(), k, firstParity);
        IntStream tail = units.stream().flatMapToInt(unit -> IntStream.of(unit.length(), unit.checksum()));
        return IntStream.concat(IntStream.concat(head, partitions.stream().mapToInt(Integer::intValue)), tail);
    }

    /** The stripe whose {@link #numbers} begin somewhere. */
    static Stripe of(int[] numbers, int begin) {
        int units = begin + HEAD + numbers[begin];
        return new Stripe(
                Arrays.stream(partitions(numbers, begin)).boxed().toList(),
                numbers[begin + 2],
                IntStream.range(0, numbers[begin + 1])
                        .mapToObj(unit -> new StoredUnit(numbers[units + 2 * unit], numbers[units + 2 * unit + 1]))
                        .toList(),
                numbers[begin + 3]);
    }

    /** The partitions of the stripe whose {@link #numbers} begin somewhere. */
    static int[] partitions(int[] numbers, int begin) {
        return Arrays.copyOfRange(numbers, begin + HEAD, begin + HEAD + numbers[begin]);
    }

    /** How many {@link #numbers} a stripe has that begin somewhere. */
    static int length(int[] numbers, int begin) {
        return HEAD + numbers[begin] + 2 * numbers[begin + 1];
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
