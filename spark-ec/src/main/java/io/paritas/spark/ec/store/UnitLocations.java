/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;

/**
 * The executors that have the units of a stripe.
 *
 * @param having an executor for each unit that is not missing
 */
record UnitLocations(Stripe stripe, Map<Integer, BlockManagerId> having) {

    /** Locates the units of all stripes, as far as the driver knows now. */
    static List<UnitLocations> of(StripeLayout layout) {
        List<BlockId> blocks = new ArrayList<>();
        for (Stripe stripe : layout.stripes()) {
            blocks.addAll(List.of(layout.access().blocks(stripe, stripe.stored())));
        }
        List<List<BlockManagerId>> locations = new UnitStore().locations(blocks.toArray(BlockId[]::new));
        List<UnitLocations> all = new ArrayList<>();
        int next = 0;
        for (Stripe stripe : layout.stripes()) {
            Map<Integer, BlockManagerId> having = new TreeMap<>();
            for (int unit : stripe.stored()) {
                locations.get(next++).stream().findFirst().ifPresent(executor -> having.put(unit, executor));
            }
            all.add(new UnitLocations(stripe, having));
        }
        return all;
    }

    List<BlockManagerId> executors() {
        return List.copyOf(having.values());
    }

    /** The units that no executor has. */
    List<Integer> missing() {
        return Arrays.stream(stripe.stored())
                .filter(unit -> !having.containsKey(unit))
                .boxed()
                .toList();
    }

    /** Whether no unit is missing. */
    boolean isWhole() {
        return having.size() == stripe.stored().length;
    }

    /** Whether too many units are missing for the stripe to be decoded. */
    boolean isBroken(ErasureCode code) {
        int[] missing = missing().stream().mapToInt(Integer::intValue).toArray();
        return !code.canReconstruct(Erasures.of(missing));
    }

    /** The total length of the missing units, in bytes. */
    long missingBytes() {
        return missing().stream()
                .mapToLong(unit -> stripe.units().get(unit).length())
                .sum();
    }

    /** The length of the longest unit, in bytes. */
    int length() {
        return stripe.units().get(stripe.k()).length();
    }
}
