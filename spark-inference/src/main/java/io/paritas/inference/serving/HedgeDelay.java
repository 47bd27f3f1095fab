/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/**
 * After how long a query gets a second instance: after a percentile of the recent latencies, which is given, or follows the load. Copies
 * take time of instances that nobody else needs as long as these are idle: so the idler they are, the lower is the percentile. Copies
 * make instances busy too, which raises it again. Not thread-safe.
 */
final class HedgeDelay {
    /* Of about 250 queries. */
    private static final double WEIGHT = 1 / 256.0;
    /* The share of queries that is hedged when all instances are idle. */
    private static final double MOST = 0.5;
    /* While nothing is known of the load. */
    private static final double HALF = 0.5;

    private final Policy.Hedged policy;
    private double idle = HALF;

    HedgeDelay(Policy.Hedged policy) {
        this.policy = policy;
    }

    /**
     * The delay of a query that arrives now, in nanoseconds, at least 1.
     *
     * @param idleNow the share of the instances that have nothing to do
     */
    long next(RecentLatencies recent, double idleNow) {
        idle += WEIGHT * (idleNow - idle);
        return Math.max(1, recent.percentile(percentile()).orElse(policy.first().toNanos()));
    }

    /** The percentile that holds now, between 0 and 100. */
    double percentile() {
        return policy.adapts() ? 100 * (1 - MOST * idle * idle) : policy.percentile();
    }
}
