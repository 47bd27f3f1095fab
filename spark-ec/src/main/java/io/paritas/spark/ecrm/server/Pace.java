/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import java.io.Serializable;

/**
 * How a replacement recovers what nobody waits for. What somebody waits for it recovers at once.
 *
 * @param ranges of a table that are locked one after another, at least: the more, the less is buffered, and the more often all stop a
 *     moment. There are more if one would have more than {@link #MOST_BATCHES} batches
 * @param batch stripes that are read at a time
 * @param share of its time, from 0.01 to 1: after a range that it had locked for t ms, it rests for t (1 / share - 1) ms. The less, the
 *     more training has of servers and network, and the longer another failure may lose something
 */
public record Pace(int ranges, int batch, double share) implements Serializable {
    /** What is read under one lock, so that no range is locked for long, and rests come often. */
    public static final int MOST_BATCHES = 8;

    private static final double LEAST_SHARE = 0.01;

    public static final Pace DEFAULT = new Pace(10, 1024, 1);

    public Pace {
        if (ranges < 1 || batch < 1) {
            throw new IllegalArgumentException(
                    "A table is recovered in at least one range, and one stripe at a time, but was given " + ranges
                            + " ranges and " + batch + " stripes");
        }
        if (!(share >= LEAST_SHARE && share <= 1)) {
            throw new IllegalArgumentException("A replacement recovers for a share of its time from " + LEAST_SHARE
                    + " to 1, which is without rests, but was given " + share);
        }
    }

    /** Without rests. */
    public Pace(int ranges, int batch) {
        this(ranges, batch, 1);
    }

    /** The ranges of a table of which so many units are to be recovered. */
    int ranges(long units) {
        long most = (long) MOST_BATCHES * batch;
        return Math.toIntExact(Math.max(ranges, (units + most - 1) / most));
    }

    /** How long to rest after so many milliseconds. */
    public long rest(long worked) {
        return Math.round(worked * (1 / share - 1));
    }
}
