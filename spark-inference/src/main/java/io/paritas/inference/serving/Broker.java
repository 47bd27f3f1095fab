/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brings the queries for one version of a model to its instances, and gives each query exactly one reply. It has no thread, no
 * clock and no socket: it is told what happened and when, in nanoseconds, and says what is to be done; so the same events have
 * the same effects. Not thread-safe.
 */
final class Broker {
    private final Limits limits;
    private final Effects effects;
    private final Protection protection;
    private final Timers timers = new Timers();
    private final RecentLatencies latencies = new RecentLatencies();
    private final Meter meter = new Meter();
    private final SortedMap<Role, Pool> pools = new TreeMap<>();
    private final Map<Long, Batch> sent = new HashMap<>();
    private long works;
    private long batches;
    private final Set<Query> unanswered = new LinkedHashSet<>();

    Broker(Policy policy, Limits limits, Effects effects) {
        this.limits = limits;
        this.effects = effects;
        policy.roles().forEach(role -> pools.put(role, new Pool(limits)));
        this.protection = protection(policy);
    }

    private Protection protection(Policy policy) {
        if (policy instanceof Policy.Coded coded) {
            return new Coding(this, coded);
        }
        if (policy instanceof Policy.Replicated replicated) {
            return Racing.of(this, replicated.copies());
        }
        if (policy instanceof Policy.Hedged hedged) {
            return Racing.hedged(this, hedged);
        }
        return policy instanceof Policy.Backup ? new BackedUp(this) : Racing.of(this, 1);
    }

    /**
     * Refuses queries where too many wait already.
     *
     * @throws RejectedException if there is no room for so many more
     */
    void requireRoom(int queries) {
        int waiting = pools.get(Role.DEPLOYED).waiting();
        if (waiting > limits.waiting() - queries) {
            meter.rejected(queries);
            throw new RejectedException("at most " + limits.waiting() + " queries may wait for an instance, " + waiting
                    + " do, there is no room for " + queries + " more: send fewer, or deploy more instances");
        }
    }

    /** Takes a query. */
    void submit(String tenant, float[] input, long now, long deadline, Consumer<Reply> onReply) {
        Query query = new Query(tenant, input, now, deadline, onReply);
        unanswered.add(query);
        query.expiresWith(timers.at(deadline, late -> expire(query, late)));
        protection.admitted(query, now);
        pump();
    }

    private void expire(Query query, long now) {
        String trouble = query.trouble().isEmpty() ? "" : "; " + query.trouble();
        long millis = (query.deadline() - query.arrived()) / 1_000_000;
        reply(query, Reply.unavailable("no answer within " + millis + " ms" + trouble), now);
        protection.expired(query, now);
    }

    /** An instance is ready. It takes the place of another with its id, whose work is done again. */
    void join(Instance instance, long now) {
        Pool pool = pools.get(instance.role());
        if (pool == null) {
            throw new IllegalArgumentException("instances must have a role of " + pools.keySet() + ", got " + instance);
        }
        pool.host(instance.id()).ifPresent(former -> leave(former.instance(), now));
        pool.add(new Host(instance));
        pump();
    }

    /** An instance is lost: its work is done again, by others. Does nothing if it is unknown, or another has its place. */
    void leave(Instance instance, long now) {
        Pool pool = pools.get(instance.role());
        pool.host(instance.id())
                .filter(host -> host.instance().equals(instance))
                .ifPresent(host -> {
                    pool.remove(host);
                    List.copyOf(host.batches().values())
                            .forEach(batch -> failed(batch.number(), instance.where() + " was lost", now));
                });
    }

    /** An instance has answered a batch, a row for each of its works. */
    void answered(long batch, float[][] outputs, long now) {
        Batch done = close(batch);
        if (done != null) {
            for (int row = 0; row < outputs.length; row++) {
                Work work = done.works().get(row);
                if (work.isOver()) {
                    meter.late();
                } else {
                    work.end();
                    protection.answered(work, outputs[row], now);
                }
            }
        }
        pump();
    }

    /** An instance cannot answer a batch. Each of its works is tried again, until so many have failed with it. */
    void failed(long batch, String reason, long now) {
        Batch done = close(batch);
        if (done != null && !done.isOver()) {
            meter.failed();
            done.works().stream().filter(work -> !work.isOver()).forEach(work -> retry(work, reason, now));
        }
        pump();
    }

    private void retry(Work work, String reason, long now) {
        work.sentWith(null);
        if (work.query() != null) {
            work.query().trouble(reason);
        }
        if (work.failedAgain() < limits.attempts()) {
            meter.retried();
            pools.get(work.role()).add(work);
        } else {
            work.end();
            protection.failed(work, now);
        }
    }

    /** Forgets a batch; null if it is known no more. */
    private Batch close(long number) {
        Batch batch = sent.remove(number);
        if (batch != null) {
            Pool pool = pools.get(batch.instance().role());
            pool.host(batch.instance().id())
                    .filter(host -> host.batches().remove(number) != null)
                    .ifPresent(pool::freed);
        }
        return batch;
    }

    /** Does what is due. */
    void tick(long now) {
        timers.run(now);
        pump();
    }

    /** When {@link #tick} must be called next; empty if nothing will be due. */
    OptionalLong due() {
        return timers.next();
    }

    /** Queues work, for a protection. */
    Work dispatch(Role role, Object tie, Query query, Supplier<float[]> input) {
        Work work = new Work(works++, role, tie, query, input);
        if (query != null) {
            query.works().add(work);
        }
        pools.get(role).add(work);
        return work;
    }

    /** Nobody needs work any more, whether it was sent or not. */
    void cancel(Work work) {
        if (work.isOver()) {
            return;
        }
        work.end();
        meter.cancelled();
        if (work.batch() == null) {
            pools.get(work.role()).remove(work);
        } else if (work.batch().isOver()) {
            effects.cancel(work.batch());
        }
    }

    /** Replies to a query, unless that has been done. */
    void reply(Query query, Reply reply, long now) {
        if (query.isReplied()) {
            return;
        }
        query.replied();
        unanswered.remove(query);
        timers.cancel(query.expiry());
        meter.replied(reply.origin(), now - query.arrived());
        if (reply.origin() != Origin.UNAVAILABLE) {
            // Also of those that were not waited for: without them the others would seem ever faster.
            latencies.add(now - query.arrived());
        }
        effects.reply(query, reply);
    }

    /** Sends what can be sent. */
    private void pump() {
        for (Pool pool : pools.values()) {
            for (var next = pool.next(); next.isPresent(); next = pool.next()) {
                send(pool, next.get());
            }
        }
    }

    private void send(Pool pool, Pool.Assignment assignment) {
        Host host = assignment.host();
        Batch batch = new Batch(batches++, host.instance(), assignment.works());
        sent.put(batch.number(), batch);
        host.batches().put(batch.number(), batch);
        batch.works().forEach(work -> work.sentWith(batch));
        pool.freed(host); // if it may have another
        effects.send(batch);
    }

    Timers timers() {
        return timers;
    }

    RecentLatencies latencies() {
        return latencies;
    }

    Meter meter() {
        return meter;
    }

    /** Queries without a reply. */
    int unanswered() {
        return unanswered.size();
    }

    /** Replies to all queries that they are unavailable. */
    void abandon(String reason, long now) {
        for (Query query : List.copyOf(unanswered)) {
            reply(query, Reply.unavailable(reason), now);
            protection.expired(query, now);
        }
    }

    /** Queries that are kept, with a reply or without. */
    int remembered() {
        return Math.max(unanswered.size(), protection.remembered());
    }

    /** All that is kept of queries, whatever it is: nothing, when all have their replies and no instance has anything to do. */
    int kept() {
        int waiting = pools.values().stream().mapToInt(Pool::waiting).sum();
        return remembered() + sent.size() + waiting + timers.size();
    }

    /** Work that waits for an instance of a role. */
    int waiting(Role role) {
        return pools.get(role).waiting();
    }

    /** The instances, and how many batches each has. */
    Map<Instance, Integer> instances() {
        Map<Instance, Integer> all = new LinkedHashMap<>();
        pools.values().forEach(pool -> pool.hosts()
                .forEach(host -> all.put(host.instance(), host.batches().size())));
        return all;
    }

    /** All roles, each with an instance or not. */
    List<Role> roles() {
        return new ArrayList<>(pools.keySet());
    }
}
