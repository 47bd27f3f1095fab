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

    private final Instance instance;
    private final Map<Long, Batch> batches = new LinkedHashMap<>();
    private double slowness = 1;
    private long answered = Long.MIN_VALUE;

    InstanceQueue(Instance instance) {
        this.instance = instance;
    }

    Instance instance() {
        return instance;
    }

    Map<Long, Batch> batches() {
        return batches;
    }

    /** How many times longer than usual its recent batches took. */
    double slowness() {
        return slowness;
    }

    /** When it last answered. */
    long lastAnswer() {
        return answered;
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
    }

    /** Whether it has unfinished work with this tie, which must not be slowed or lost together with more of it. */
    boolean isTiedTo(Object tie) {
        return batches.values().stream()
                .flatMap(batch -> batch.works().stream())
                .anyMatch(work -> work.tie() == tie && !work.isOver());
    }
}
