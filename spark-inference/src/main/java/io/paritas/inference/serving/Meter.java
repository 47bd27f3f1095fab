/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What a model's front end has done so far. Thread-safe. */
public final class Meter {
    private final Map<Origin, Histogram> latencies = new EnumMap<>(Origin.class);
    private final Histogram encoding = new Histogram();
    private final Histogram decoding = new Histogram();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder hedged = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder fullGroups = new LongAdder();
    private final LongAdder shortGroups = new LongAdder();

    Meter() {
        for (Origin origin : Origin.values()) {
            latencies.put(origin, new Histogram());
        }
    }

    void replied(Origin origin, long nanos) {
        latencies.get(origin).add(nanos);
    }

    void encoded(long nanos) {
        encoding.add(nanos);
    }

    void decoded(long nanos) {
        decoding.add(nanos);
    }

    void rejected(int queries) {
        rejected.add(queries);
    }

    void failed() {
        failed.increment();
    }

    void retried() {
        retried.increment();
    }

    void hedged() {
        hedged.increment();
    }

    void cancelled() {
        cancelled.increment();
    }

    void late() {
        late.increment();
    }

    void group(boolean full) {
        (full ? fullGroups : shortGroups).increment();
    }

    /** From the arrival of a query to its reply; the count is the number of such replies. */
    public Histogram latencies(Origin origin) {
        return latencies.get(origin);
    }

    /** Times of encoding a parity query. */
    public Histogram encoding() {
        return encoding;
    }

    /** Times of reconstructing what was missing in a group. */
    public Histogram decoding() {
        return decoding;
    }

    /** Numbers of what happened, by name, in the order in which they are shown. */
    public Map<String, Long> events() {
        Map<String, Long> events = new LinkedHashMap<>();
        events.put("rejected", rejected.sum());
        events.put("failed", failed.sum());
        events.put("retried", retried.sum());
        events.put("hedged", hedged.sum());
        events.put("cancelled", cancelled.sum());
        events.put("late", late.sum());
        events.put("groups_full", fullGroups.sum());
        events.put("groups_short", shortGroups.sum());
        return events;
    }
}
