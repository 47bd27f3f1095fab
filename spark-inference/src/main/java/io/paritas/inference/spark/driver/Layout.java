/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.io.Serializable;
import java.util.stream.IntStream;

/**
 * How units make up stripes.
 *
 * @param k any k units of a stripe suffice
 * @param r parity batches of a group
 * @param units of all stripes, a multiple of n = k + r
 * @param placement of the parity
 * @param share part of the stripes that is coded, in [0, 1]
 */
public record Layout(int k, int r, int units, Placement placement, double share) implements Serializable {

    /** Where in a stripe the parity is. */
    public enum Placement {
        /** In all units, in turn: each holds one batch of every group, of data or of parity. */
        ROTATED,
        /** In units of its own: the first k hold data, each of the others one parity. */
        SEPARATE
    }

    /** Checks the numbers. */
    public Layout {
        if (units < 1 || units % (k + r) != 0) {
            throw new IllegalArgumentException("the units must be a multiple of k + r = " + (k + r) + ", got " + units);
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of coded stripes must be in [0, 1], got " + share);
        }
    }

    /** Units of a stripe. */
    public int n() {
        return k + r;
    }

    public int stripes() {
        return units / n();
    }

    public int stripeOf(int unit) {
        return unit / n();
    }

    /** Place of a unit in its stripe. */
    public int placeOf(int unit) {
        return unit % n();
    }

    /** Whether a stripe has parity; the coded ones are spread evenly. */
    public boolean coded(int stripe) {
        return Math.floor((stripe + 1) * share) > Math.floor(stripe * share);
    }

    /** Whether a unit has data. */
    public boolean hasData(int place) {
        return placement == Placement.ROTATED || place < k;
    }

    /** Which parities of a unit are needed to decode so many lost ones. */
    public int[] parities(int place, int lost) {
        if (placement == Placement.ROTATED) {
            return IntStream.range(0, lost).toArray();
        }
        return place < k ? new int[0] : new int[] {place - k};
    }
}
