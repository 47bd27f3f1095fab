/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An instance, the batches that it has, and its recent speed: how many times longer than usual it takes. Belongs to its {@link Pool}.
 */
final class InstanceQueue {
    /* The weight of a slower batch: one that takes four times as long makes its instance slow, one of twice as long does not. */
    private static final double SLOWER = 0.5;
    /* One usual batch makes it well again. */
    private static final double FASTER = 0.8;
    private static final double SLOWEST = 8;
    /* Failures in a row; of a single one the query may be the cause. */
    private static final int MANY = 2;

    private final Instance instance;
    private final Map<Long, Batch> batches = new LinkedHashMap<>();
    private double slowness = 1;
    private long answered = Long.MIN_VALUE;
    private long heard = Long.MIN_VALUE;
    private int failures;

    InstanceQueue(Instance instance) {
        this.instance = instance;
    }

    Instance instance() {
        return instance;
    }

    Map<Long, Batch> batches() {
        return batches;
    }

    /** How many times longer than usual its recent batches took; the most there is if it failed with them. */
    double slowness() {
        return failures < MANY ? slowness : SLOWEST;
    }

    /** When it last answered or failed. */
    long lastHeard() {
        return heard;
    }

    boolean hasAnswered() {
        return answered > Long.MIN_VALUE;
    }

    /** Since when it has worked on a batch: it does one after the other. */
    long since(Batch batch) {
        return Math.max(batch.sent(), answered);
    }

    /** Notes an answer that took so many times longer than usual. */
    void answered(double times, long now) {
        slowness += (times > slowness ? SLOWER : FASTER) * (Math.min(times, SLOWEST) - slowness);
        answered = now;
        heard = now;
        failures = 0;
    }

    /**
     * Notes a failure.
     *
     * @param own whether it is the instance's own fault, as far as is known
     */
    void failed(boolean own, long now) {
        failures += own ? 1 : 0;
        heard = now;
    }

    /** Whether it has unfinished work with this tie, which must not be slowed or lost together with more of it. */
    boolean isTiedTo(Object tie) {
        return batches.values().stream()
                .flatMap(batch -> batch.works().stream())
                .anyMatch(work -> work.tie() == tie && !work.isOver());
    }
}
