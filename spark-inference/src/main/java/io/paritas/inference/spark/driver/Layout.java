/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.stream.IntStream;

/**
 * How segments make up stripes.
 *
 * @param k segments of a stripe that suffice
 * @param r parity batches of a group
 * @param segments number of segments in all stripes, a multiple of n = k + r
 * @param placement where in a stripe the parity is
 * @param share share of the stripes that is coded, in [0, 1], rounded up to whole stripes
 */
public record Layout(int k, int r, int segments, Placement placement, double share) implements Serializable {

    /** Where in a stripe the parity is. */
    public enum Placement {
        /** In all segments, in turn: each holds one batch of every group, of data or of parity. */
        ROTATED,
        /** In segments of its own: the first k hold data, each of the others one parity. */
        SEPARATE
    }

    /** Checks the numbers. */
    public Layout {
        if (segments < 1 || segments % (k + r) != 0) {
            throw new IllegalArgumentException(
                    "the segments must be a multiple of k + r = " + (k + r) + ", got " + segments);
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of coded stripes must be in [0, 1], got " + share);
        }
    }

    /** Segments of a stripe. */
    public int n() {
        return k + r;
    }

    public int stripes() {
        return segments / n();
    }

    public int stripeOf(int segment) {
        return segment / n();
    }

    /** Place of a segment in its stripe. */
    public int placeOf(int segment) {
        return segment % n();
    }

    /** Whether a stripe has parity. The coded ones are spread evenly, the first one among them unless the share is 0. */
    public boolean coded(int stripe) {
        return codedOf(stripe + 1) > codedOf(stripe);
    }

    /** How many of the first stripes are coded. The share is what was written: 0.28 of 25 is 7, the product of doubles is above 7. */
    private int codedOf(int stripes) {
        return BigDecimal.valueOf(share)
                .multiply(BigDecimal.valueOf(stripes))
                .setScale(0, RoundingMode.CEILING)
                .intValueExact();
    }

    /** Whether a segment has data. */
    public boolean hasData(int place) {
        return placement == Placement.ROTATED || place < k;
    }

    /** The parities of a segment that decode needs when so many segments are lost. */
    public int[] parities(int place, int lost) {
        if (placement == Placement.ROTATED) {
            return IntStream.range(0, lost).toArray();
        }
        return place < k ? new int[0] : new int[] {place - k};
    }
}
