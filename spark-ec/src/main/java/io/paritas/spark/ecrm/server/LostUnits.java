/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.placement.StripePlacement;
import java.util.BitSet;
import java.util.stream.LongStream;

/**
 * The units of a table on one server that cannot be decoded, because more of their stripes are lost than these have parities. Takes a bit
 * of memory for each unit: they may be all that the server had.
 */
final class LostUnits {
    private final StripePlacement placement;
    private final int server;
    private final long stripes;
    /** By slot. */
    private final BitSet data = new BitSet();

    private final BitSet parity = new BitSet();
    private long count;

    /** @param stripes of the table */
    LostUnits(StripePlacement placement, int server, long stripes) {
        this.placement = placement;
        this.server = server;
        this.stripes = stripes;
    }

    private BitSet slots(int unit) {
        return unit < placement.k() ? data : parity;
    }

    /** Adds the server's unit of a stripe. */
    void add(long stripe) {
        int unit = placement.unitOn(server, stripe);
        int slot = (int) placement.slot(stripe, unit);
        count += slots(unit).get(slot) ? 0 : 1;
        slots(unit).set(slot);
    }

    /** Adds all units of the server. */
    void addAll() {
        for (long stripe = 0; stripe < stripes; stripe++) {
            if (placement.unitOn(server, stripe) >= 0) {
                add(stripe);
            }
        }
    }

    /** Whether the server's unit of a stripe is lost. */
    boolean has(long stripe) {
        if (count == 0) {
            return false;
        }
        int unit = placement.unitOn(server, stripe);
        return unit >= 0 && slots(unit).get((int) placement.slot(stripe, unit));
    }

    long count() {
        return count;
    }

    /** Returns the stripes of the units, ascending. */
    long[] stripes() {
        return LongStream.range(0, stripes).filter(this::has).toArray();
    }
}
