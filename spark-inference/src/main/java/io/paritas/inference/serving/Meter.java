/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.Outcome;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts and latencies of a model's front end since its start. Thread-safe. */
@PublicApi
public final class Meter {
    private final Map<Outcome, Histogram> latencies = new EnumMap<>(Outcome.class);
    private final Histogram encoding = new Histogram();
    private final Histogram decoding = new Histogram();
    private final Histogram queueing = new Histogram();
    private final Histogram computing = new Histogram();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder hedged = new LongAdder();
    private final LongAdder replicated = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder withdrawn = new LongAdder();
    private final LongAdder alone = new LongAdder();
    private final LongAdder fullGroups = new LongAdder();
    private final LongAdder shortGroups = new LongAdder();

    Meter() {
        for (Outcome outcome : Outcome.values()) {
            latencies.put(outcome, new Histogram());
        }
    }

    void replied(Outcome outcome, long nanos) {
        latencies.get(outcome).add(nanos);
    }

    void encoded(long nanos) {
        encoding.add(nanos);
    }

    void decoded(long nanos) {
        decoding.add(nanos);
    }

    void queued(long nanos) {
        queueing.add(nanos);
    }

    void computed(long nanos) {
        computing.add(nanos);
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

    /** Counts a query that is sent to two instances at once because the load is low. */
    void replicated() {
        replicated.increment();
    }

    void cancelled() {
        cancelled.increment();
    }

    void late(int answers) {
        late.add(answers);
    }

    void withdrawn() {
        withdrawn.increment();
    }

    /** Counts a query that is in no coding group. */
    void alone() {
        alone.increment();
    }

    /** Counts a coding group of this many queries, where k make it full. */
    void group(int queries, int k) {
        (queries == k ? fullGroups : shortGroups).increment();
    }

    /** The times from the arrival of a query to its reply; the count is the number of such replies. */
    public Histogram latencies(Outcome outcome) {
        return latencies.get(outcome);
    }

    /** The times of encoding a parity query. */
    public Histogram encoding() {
        return encoding;
    }

    /** The times of reconstructing the missing predictions of a group. */
    public Histogram decoding() {
        return decoding;
    }

    /** The times from the arrival of a query until an instance of the deployed model gets it; copies and retries count again. */
    public Histogram queueing() {
        return queueing;
    }

    /** The times that instances of the deployed model take for a batch, with its way there and back. */
    public Histogram computing() {
        return computing;
    }

    /** The counts of events, by name, in the order in which they are shown. */
    public Map<String, Long> events() {
        Map<String, Long> events = new LinkedHashMap<>();
        events.put("rejected", rejected.sum());
        events.put("failed", failed.sum());
        events.put("retried", retried.sum());
        events.put("hedged", hedged.sum());
        events.put("replicated", replicated.sum());
        events.put("cancelled", cancelled.sum());
        events.put("late", late.sum());
        events.put("withdrawn", withdrawn.sum());
        events.put("alone", alone.sum());
        events.put("groups_full", fullGroups.sum());
        events.put("groups_short", shortGroups.sum());
        return events;
    }
}
