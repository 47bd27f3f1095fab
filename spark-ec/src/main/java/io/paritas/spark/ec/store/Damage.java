/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;

/**
 * Units of a stripe that nobody has.
 *
 * @param missing the units
 * @param having who has the others
 */
record Damage(Stripe stripe, List<Integer> missing, List<BlockManagerId> having) {

    /** All that there is now, as far as the driver knows. */
    static List<Damage> in(Layout layout) {
        List<BlockId> blocks = new ArrayList<>();
        for (Stripe stripe : layout.stripes()) {
            blocks.addAll(List.of(layout.access().blocks(stripe, stripe.stored())));
        }
        List<List<BlockManagerId>> locations = new UnitStore().locations(blocks.toArray(BlockId[]::new));
        List<Damage> damages = new ArrayList<>();
        int next = 0;
        for (Stripe stripe : layout.stripes()) {
            int[] stored = stripe.stored();
            Damage damage = of(stripe, stored, locations.subList(next, next + stored.length));
            next += stored.length;
            if (!damage.missing.isEmpty()) {
                damages.add(damage);
            }
        }
        return damages;
    }

    private static Damage of(Stripe stripe, int[] units, List<List<BlockManagerId>> locations) {
        List<Integer> missing = new ArrayList<>();
        List<BlockManagerId> having = new ArrayList<>();
        for (int i = 0; i < units.length; i++) {
            having.addAll(locations.get(i));
            if (locations.get(i).isEmpty()) {
                missing.add(units[i]);
            }
        }
        return new Damage(stripe, missing, having);
    }

    Erasures erasures() {
        return Erasures.of(missing.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Of the units that are missing. */
    long bytes() {
        return missing.stream()
                .mapToLong(unit -> stripe.units().get(unit).length())
                .sum();
    }

    /** Of the longest of them. */
    int length() {
        return missing.stream()
                .mapToInt(unit -> stripe.units().get(unit).length())
                .max()
                .orElse(0);
    }
}
