/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Arrays;

/** What is known of the n = k + r units of a stripe. Not thread-safe. */
abstract class Stripe {
    final int k;
    final int r;
    private final boolean coded;
    private final Unit[] units;

    private Stripe(Layout layout, boolean coded) {
        this.k = layout.k();
        this.r = layout.r();
        this.coded = coded;
        this.units = new Unit[layout.n()];
        Arrays.setAll(units, place -> new Unit());
    }

    /** A new stripe, where nothing is known. */
    static Stripe of(Layout layout, boolean coded) {
        return layout.placement() == Placement.ROTATED ? new Rotated(layout, coded) : new Separate(layout, coded);
    }

    final Unit unit(int place) {
        return units[place];
    }

    /**
     * Which parity a unit should compute next, as far as is known; -1 for none. There are as many as units are lost, and none
     * once everybody has what it needs.
     */
    final int nextParity(int place) {
        return complete() || !coded || unit(place).level() == 0 ? -1 : next(place, Math.min(r, lost()));
    }

    /** Whether every unit has what it needs; a unit that only has parity needs nothing. */
    final boolean complete() {
        for (int place = 0; place < units.length; place++) {
            if (hasData(place) && !units[place].satisfied()) {
                return false;
            }
        }
        return true;
    }

    /** Whether the units without predictions can be decoded. */
    final boolean decodable() {
        return coded && lost() > 0 && lost() <= r && suffices(lost());
    }

    /** Units whose predictions are there to be decoded from, as a set of bits. */
    final int sources() {
        int sources = 0;
        for (int place = 0; place < units.length; place++) {
            sources |= isSource(place) ? 1 << place : 0;
        }
        return sources;
    }

    abstract boolean hasData(int place);

    /** Units with data whose predictions cannot be had. */
    abstract int lost();

    /** Which parity a unit with its data computed should compute next, of so many that are wanted. */
    abstract int next(int place, int wanted);

    /** Whether what there is suffices for so many lost units. */
    abstract boolean suffices(int lost);

    abstract boolean isSource(int place);

    /** Every unit has data and parities. */
    private static final class Rotated extends Stripe {
        Rotated(Layout layout, boolean coded) {
            super(layout, coded);
        }

        @Override
        boolean hasData(int place) {
            return true;
        }

        @Override
        int lost() {
            return k + r - Integer.bitCount(sources());
        }

        @Override
        int next(int place, int wanted) {
            int computed = unit(place).level() - 1;
            return computed < wanted ? computed : -1;
        }

        /**
         * With e lost units, every other one must have its data and its first e parities. A group then misses at most e data
         * batches; and of its first e parities, it misses only those on lost units that hold no data batch of it.
         */
        @Override
        boolean suffices(int lost) {
            for (int place = 0; place < k + r; place++) {
                int level = unit(place).level();
                if (level > 0 && level <= lost) {
                    return false;
                }
            }
            return true;
        }

        @Override
        boolean isSource(int place) {
            return unit(place).level() > 0;
        }
    }

    /** The first k units have data; unit k + j has nothing but parity j, and so has its data at once. */
    private static final class Separate extends Stripe {
        Separate(Layout layout, boolean coded) {
            super(layout, coded);
        }

        @Override
        boolean hasData(int place) {
            return place < k;
        }

        @Override
        int lost() {
            return k - Integer.bitCount(sources() & ((1 << k) - 1));
        }

        @Override
        int next(int place, int wanted) {
            return place >= k && wanted > 0 && !isSource(place) ? place - k : -1;
        }

        @Override
        boolean suffices(int lost) {
            return Integer.bitCount(sources() >> k) >= lost;
        }

        @Override
        boolean isSource(int place) {
            return unit(place).level() > (place < k ? 0 : 1);
        }
    }
}
