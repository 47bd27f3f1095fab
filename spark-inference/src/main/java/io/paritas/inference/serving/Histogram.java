/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** A histogram of times whose bounds grow by a quarter, from 50 microseconds to half a minute. Thread-safe. */
@PublicApi
public final class Histogram {
    private static final double SMALLEST = 50e-6;
    private static final int BUCKETS = 60;
    private static final double GROWTH = 1.25;
    private static final double NANOS = 1e9;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS + 1);
    private final LongAdder nanos = new LongAdder();

    void add(long time) {
        double seconds = time / NANOS;
        int bucket = seconds <= SMALLEST ? 0 : (int) Math.ceil(Math.log(seconds / SMALLEST) / Math.log(GROWTH));
        counts.incrementAndGet(Math.min(bucket, BUCKETS));
        nanos.add(time);
    }

    /** The number of buckets with an upper bound; one more has none. */
    public int buckets() {
        return BUCKETS;
    }

    /** The upper bound of a bucket, in seconds. */
    public double bound(int bucket) {
        return boundOf(bucket);
    }

    private static double boundOf(int bucket) {
        return SMALLEST * Math.pow(GROWTH, bucket);
    }

    /** The upper bounds of all buckets that have one; they are the same in all histograms. */
    public static DoubleStream bounds() {
        return IntStream.range(0, BUCKETS).mapToDouble(Histogram::boundOf);
    }

    /** The number of times in a bucket. */
    public long count(int bucket) {
        return counts.get(bucket);
    }

    /** The number of all times. */
    public long count() {
        long sum = 0;
        for (int bucket = 0; bucket <= BUCKETS; bucket++) {
            sum += counts.get(bucket);
        }
        return sum;
    }

    /** The sum of all times, in seconds. */
    public double seconds() {
        return nanos.sum() / NANOS;
    }

    /** The bound, in seconds, that this percentage of the times is below; 0 if there are none. */
    public double percentile(double percentile) {
        double rank = count() * percentile / 100;
        long below = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            below += counts.get(bucket);
            if (below > 0 && below >= rank) {
                return bound(bucket);
            }
        }
        return below == count() ? 0 : bound(BUCKETS);
    }
}
