/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * How fast a replacement recovers in the background. Units that a request waits for are recovered at once.
 *
 * @param ranges least number of ranges of a table, from 1 to {@link #MOST}, which are locked one after another. More ranges mean smaller buffers
 *     and more frequent short stops. Large tables have more, so that no range has more than {@link #MOST_BATCHES}
 *     batches
 * @param batch stripes read at a time, from 1 to {@link #MOST}; fewer if these are large
 * @param share of time to recover, from 0.01 to 1. After a range that was locked for t ms, the replacement rests
 *     {@code t * (1 / share - 1)} ms. A smaller share leaves training more throughput, and more time in which a second
 *     failure loses data
 */
@PublicApi
public record RecoveryPace(int ranges, int batch, double share) implements Serializable {
    /** Most batches of a range, so that no range is locked for long and rests are frequent. */
    public static final int MOST_BATCHES = 8;

    /** Most ranges of a table that can be asked for, and most stripes of a batch. */
    public static final int MOST = 65_536;

    private static final double LEAST_SHARE = 0.01;

    /** 10 ranges, batches of 1024 stripes, no rests. */
    public static final RecoveryPace DEFAULT = new RecoveryPace(10, 1024, 1);

    public RecoveryPace {
        if (ranges < 1 || ranges > MOST || batch < 1 || batch > MOST) {
            throw new IllegalArgumentException("recovery must have 1 to " + MOST + " ranges and batches of 1 to " + MOST
                    + " stripes, got " + ranges + " and " + batch);
        }
        if (!(share >= LEAST_SHARE && share <= 1)) {
            throw new IllegalArgumentException(
                    "share of time to recover must be " + LEAST_SHARE + " to 1 (no rests), got " + share);
        }
    }

    /** Creates a pace without rests. */
    public RecoveryPace(int ranges, int batch) {
        this(ranges, batch, 1);
    }

    /** Returns this pace with another share of time. */
    public RecoveryPace withShare(double other) {
        return new RecoveryPace(ranges, batch, other);
    }

    /** Returns the number of ranges for a table with so many missing units. */
    int ranges(long units) {
        long most = (long) MOST_BATCHES * batch;
        return Math.toIntExact(Math.max(ranges, (units + most - 1) / most));
    }

    /** Returns how many milliseconds to rest after a range that was locked for {@code worked} milliseconds. */
    public long rest(long worked) {
        return Math.round(worked * (1 / share - 1));
    }
}
