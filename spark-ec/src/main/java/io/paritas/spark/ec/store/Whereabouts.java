/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;

/**
 * Who has the units of a stripe.
 *
 * @param having an executor for each unit that somebody has
 */
record Whereabouts(Stripe stripe, Map<Integer, BlockManagerId> having) {

    /** Of all stripes, as far as the driver knows now. */
    static List<Whereabouts> of(Layout layout) {
        List<BlockId> blocks = new ArrayList<>();
        for (Stripe stripe : layout.stripes()) {
            blocks.addAll(List.of(layout.access().blocks(stripe, stripe.stored())));
        }
        List<List<BlockManagerId>> locations = new UnitStore().locations(blocks.toArray(BlockId[]::new));
        List<Whereabouts> all = new ArrayList<>();
        int next = 0;
        for (Stripe stripe : layout.stripes()) {
            Map<Integer, BlockManagerId> having = new TreeMap<>();
            for (int unit : stripe.stored()) {
                locations.get(next++).stream().findFirst().ifPresent(executor -> having.put(unit, executor));
            }
            all.add(new Whereabouts(stripe, having));
        }
        return all;
    }

    List<BlockManagerId> executors() {
        return List.copyOf(having.values());
    }

    /** The units that nobody has. */
    List<Integer> missing() {
        return Arrays.stream(stripe.stored())
                .filter(unit -> !having.containsKey(unit))
                .boxed()
                .toList();
    }

    /** Whether somebody has each unit. */
    boolean isWhole() {
        return having.size() == stripe.stored().length;
    }

    Erasures erasures() {
        return Erasures.of(missing().stream().mapToInt(Integer::intValue).toArray());
    }

    /** Of the units that are missing, in bytes. */
    long missingBytes() {
        return missing().stream()
                .mapToLong(unit -> stripe.units().get(unit).length())
                .sum();
    }

    /** Of the longest unit, in bytes. */
    int length() {
        return stripe.units().get(stripe.k()).length();
    }
}
