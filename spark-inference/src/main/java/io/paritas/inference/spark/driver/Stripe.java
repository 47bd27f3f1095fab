/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.Arrays;

/** What is known of the n = k + r units of a stripe. Not thread-safe. */
final class Stripe {
    private final int r;
    private final boolean coded;
    private final Unit[] units;

    Stripe(int k, int r, boolean coded) {
        this.r = r;
        this.coded = coded;
        this.units = new Unit[k + r];
        Arrays.setAll(units, place -> new Unit());
    }

    Unit unit(int place) {
        return units[place];
    }

    /**
     * Which of its parities a unit that has its data should compute next, as far as is known; -1 for none. There are as many
     * as units are lost, and none once everybody has what it needs.
     */
    int nextParity(int place) {
        boolean complete = Arrays.stream(units).allMatch(Unit::satisfied);
        int wanted = complete || !coded ? 0 : Math.min(r, lost());
        int computed = units[place].level() - 1;
        return computed >= 0 && computed < wanted ? computed : -1;
    }

    /**
     * Whether the units without predictions can be decoded: with e of them, every other one must have its data and its first
     * e parities. A group then misses at most e data batches; and of its first e parities, it misses only those on lost
     * units that hold no data batch of it.
     */
    boolean decodable() {
        int lost = lost();
        return coded
                && lost > 0
                && lost <= r
                && Arrays.stream(units).allMatch(unit -> unit.level() == 0 || unit.level() > lost);
    }

    /** Units whose predictions are there to be decoded from, as a set of bits. */
    int sources() {
        int sources = 0;
        for (int place = 0; place < units.length; place++) {
            sources |= units[place].level() > 0 ? 1 << place : 0;
        }
        return sources;
    }

    /** Units whose predictions cannot be had. */
    int lost() {
        return units.length - Integer.bitCount(sources());
    }
}
