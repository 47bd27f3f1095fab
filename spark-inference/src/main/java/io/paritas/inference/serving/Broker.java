/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.trace.TraceSpan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * Dispatches the queries for one version of a model to its instances and gives each query exactly one reply. It has no thread, no
 * clock and no socket: events and their times, in nanoseconds, go in, {@link Effects} come out, and equal events have equal
 * effects. Not thread-safe.
 */
final class Broker {
    /* For a reconstruction that began before the deadline: a few microseconds, unless the front end stands still. */
    private static final long GRACE = 1_000_000;
    private static final long LONGEST_GRACE = 100_000_000;

    private final Limits limits;
    private final Effects effects;
    private final ReplyStrategy strategy;
    private final Timers timers = new Timers();
    private final RecentLatencies latencies = new RecentLatencies();
    private final Meter meter = new Meter();
    private final SortedMap<Role, Pool> pools = new TreeMap<>();
    private final Map<Long, Batch> sent = new HashMap<>();
    private long works;
    private long batches;
    private Timers.Timer looksAgain;
    private final Set<Query> unanswered = new LinkedHashSet<>();
    /* Why queries get no answers any more; empty while they do. */
    private String abandoned = "";

    Broker(Policy policy, Limits limits, Effects effects) {
        this.limits = limits;
        this.effects = effects;
        policy.roles().forEach(role -> pools.put(role, new Pool(limits)));
        this.strategy = strategy(policy);
    }

    private ReplyStrategy strategy(Policy policy) {
        if (policy instanceof Policy.Coded coded) {
            return new CodedStrategy(this, coded);
        }
        if (policy instanceof Policy.Replicated replicated) {
            return RaceStrategy.of(this, replicated.copies());
        }
        if (policy instanceof Policy.Hedged hedged) {
            return RaceStrategy.hedged(this, hedged);
        }
        if (policy instanceof Policy.Auto auto) {
            return RaceStrategy.byLoad(this, auto);
        }
        return policy instanceof Policy.Backup ? new BackupStrategy(this) : RaceStrategy.of(this, 1);
    }

    /**
     * Checks that this many more queries may wait. Any thread may call it.
     *
     * @param waiting how many wait or are about to
     * @throws RejectedException if there is no room for them
     */
    void requireRoom(int queries, int waiting) {
        if (waiting > limits.waiting() - queries) {
            meter.rejected(queries);
            throw new RejectedException("at most " + limits.waiting() + " queries may wait for an instance, got "
                    + queries + " more than the " + waiting + " that wait: send fewer, or deploy more instances");
        }
    }

    /**
     * Takes a query and returns it.
     *
     * @param tenant whose queries it may be coded with; empty if with none
     */
    Query submit(Optional<String> tenant, float[] input, long now, long deadline, Consumer<Reply> onReply) {
        return submit(new Query(tenant, input, now, deadline, onReply, TraceSpan.OFF), now);
    }

    /** Takes a query and returns it. */
    Query submit(Query query, long now) {
        // First of all: then a reply comes whatever fails.
        query.expiresWith(timers.at(query.deadline(), late -> expire(query, late)));
        unanswered.add(query);
        if (abandoned.isEmpty()) {
            strategy.admitted(query, now);
            pump(now);
        } else {
            reply(query, Reply.unavailable(abandoned), now);
        }
        return query;
    }

    /** Drops a query whose reply nobody wants any more: it gets none. Does nothing if it has one. */
    void withdraw(Query query, long now) {
        if (query.isReplied()) {
            return;
        }
        over(query);
        meter.withdrawn();
        strategy.withdrawn(query, now);
        pump(now);
    }

    /** Takes a query from those that are to be replied to. */
    private void over(Query query) {
        query.replied();
        unanswered.remove(query);
        timers.cancel(query.expiry());
    }

    private void expire(Query query, long now) {
        if (strategy.isAboutToAnswer(query) && now - query.deadline() < LONGEST_GRACE) {
            query.expiresWith(timers.at(now + GRACE, later -> expire(query, later)));
            return;
        }
        String trouble = query.trouble().isEmpty() ? "" : "; " + query.trouble();
        long micros = (query.deadline() - query.arrived()) / 1_000;
        String time = micros < 1_000 ? micros + " microseconds" : micros / 1_000 + " ms";
        reply(query, Reply.unavailable("no answer within " + time + trouble), now);
        strategy.expired(query, now);
    }

    /** Adds an instance that is ready. It replaces another with its id, whose work is done again. */
    void join(Instance instance, long now) {
        Pool pool = pools.get(instance.role());
        if (pool == null) {
            throw new IllegalArgumentException(
                    "the role of an instance must be one of " + pools.keySet() + ", got " + instance);
        }
        pool.queue(instance.id()).ifPresent(former -> leave(former.instance(), now));
        pool.add(new InstanceQueue(instance));
        pump(now);
    }

    /** Removes a lost instance; others do its work again. Does nothing if it is unknown or replaced. */
    void leave(Instance instance, long now) {
        Pool pool = pools.get(instance.role());
        queue(instance).ifPresent(queue -> {
            pool.remove(queue);
            List.copyOf(queue.batches().values())
                    .forEach(batch -> failed(batch.number(), instance.where() + " was lost", now));
        });
    }

    /** Takes the answer to a batch, a row for each of its works. */
    void answered(long batch, float[][] outputs, long now) {
        Batch done = close(batch);
        if (done != null) {
            queue(done.instance()).ifPresent(queue -> {
                if (done.instance().role().equals(Role.DEPLOYED)) {
                    meter.computed(now - queue.since(done));
                }
                pools.get(done.instance().role()).answered(queue, done, now);
            });
            for (int row = 0; row < outputs.length; row++) {
                Work work = done.works().get(row);
                work.span().end(now);
                if (!work.isProbe()) {
                    InstanceAnswer answer = new InstanceAnswer(done.instance(), work.input(), outputs[row]);
                    observer().answered(answer);
                    strategy.heard(work, answer, now);
                }
                if (work.isOver()) {
                    meter.late(work.isProbe() ? 0 : 1);
                } else {
                    work.end();
                    strategy.answered(work, outputs[row], now);
                }
            }
        }
        pump(now);
    }

    /** Takes the failure of a batch. Each of its works is tried again, up to {@link Limits#attempts} times. */
    void failed(long batch, String reason, long now) {
        Batch done = close(batch);
        if (done != null) {
            // Work that has failed before may be the cause, and what is over was perhaps only skipped.
            boolean own = !done.isOver()
                    && done.works().stream().allMatch(work -> work.failures().isEmpty());
            queue(done.instance()).ifPresent(queue -> queue.failed(own, now));
            done.works().forEach(work -> end(work.span(), work.isOver() ? "" : reason, now));
        }
        if (done != null && !done.isOver()) {
            meter.failed();
            done.works().stream()
                    .filter(work -> !work.isOver())
                    .forEach(work -> retry(work, done.instance(), reason, now));
        }
        pump(now);
    }

    /** The queue of an instance; empty if that is lost or replaced. */
    private Optional<InstanceQueue> queue(Instance instance) {
        Optional<InstanceQueue> known = pools.get(instance.role()).queue(instance.id());
        return known.filter(queue -> queue.instance().equals(instance));
    }

    private static void end(TraceSpan span, String reason, long now) {
        if (reason.isEmpty()) {
            span.end(now);
        } else {
            span.fail(reason, now);
        }
    }

    private void retry(Work work, Instance instance, String reason, long now) {
        work.sentWith(null);
        work.failedOn(instance);
        if (work.query() != null) {
            work.query().trouble(reason);
        }
        if (work.failures().size() < limits.attempts()) {
            meter.retried();
            pools.get(work.role()).add(work);
        } else {
            work.end();
            strategy.failed(work, now);
        }
    }

    /** Removes a batch and returns it; null if it was removed before. */
    private Batch close(long number) {
        Batch batch = sent.remove(number);
        if (batch != null) {
            Pool pool = pools.get(batch.instance().role());
            pool.queue(batch.instance().id())
                    .filter(queue -> queue.batches().remove(number) != null)
                    .ifPresent(pool::freed);
        }
        return batch;
    }

    /** Runs the timers that are due. */
    void tick(long now) {
        timers.run(now);
        pump(now);
    }

    /** Runs the deadlines before a time that were lost, because memory was short when they came. */
    void expireBefore(long time, long now) {
        for (Query query : List.copyOf(unanswered)) {
            if (query.deadline() < time && !query.isReplied()) {
                expire(query, now);
            }
        }
    }

    /** The batches that have no answer. */
    List<Batch> sent() {
        return List.copyOf(sent.values());
    }

    /** The number of the last batch that was sent; -1 if there is none. */
    long lastBatch() {
        return batches - 1;
    }

    /** When {@link #tick} must be called next; empty if no timer is set. */
    OptionalLong due() {
        return timers.next();
    }

    /** Queues work, for a strategy. */
    Work dispatch(Role role, Object tie, Query query, Supplier<float[]> input) {
        Work work = new Work(works++, role, tie, query, input);
        if (query != null) {
            query.works().add(work);
        }
        pools.get(role).add(work);
        return work;
    }

    /** Cancels work, whether it was sent or not. */
    void cancel(Work work) {
        if (work.isOver()) {
            return;
        }
        work.end();
        work.span().with("paritas.needed", "no"); // it ends when the instance answers
        meter.cancelled();
        if (work.batch() == null) {
            pools.get(work.role()).remove(work);
        } else if (work.batch().isOver()) {
            effects.cancel(work.batch());
        }
    }

    /** Replies to a query, unless it has a reply. */
    void reply(Query query, Reply reply, long now) {
        if (query.isReplied()) {
            return;
        }
        effects.reply(query, reply); // first: where memory is short for it, the query still waits for a reply
        over(query);
        meter.replied(reply.outcome(), now - query.arrived());
        if (reply.outcome() != Outcome.UNAVAILABLE) {
            // Reconstructed replies count as well: without them the median would shrink with every cut.
            latencies.add(now - query.arrived());
        }
    }

    /** Sends waiting work to free instances. */
    private void pump(long now) {
        for (Pool pool : pools.values()) {
            for (var next = pool.next(now); next.isPresent(); next = pool.next(now)) {
                Pool.Assignment assignment = next.get();
                send(pool, assignment, now);
                pool.probed(now).ifPresent(slow -> probe(pool, slow, assignment.works(), now));
            }
        }
        lookAgain(now);
    }

    /** Comes back to work that is kept for others than slow instances, or those that failed, because these may become slow without an event. */
    private void lookAgain(long now) {
        OptionalLong again = pools.values().stream()
                .map(pool -> pool.again(now))
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .min();
        if (again.isEmpty() && looksAgain != null) {
            timers.cancel(looksAgain);
            looksAgain = null;
        } else if (again.isPresent() && looksAgain == null) {
            looksAgain = timers.at(again.getAsLong(), late -> looksAgain = null);
        }
    }

    private void probe(Pool pool, InstanceQueue slow, List<Work> works, long now) {
        List<Work> copies = works.stream().map(work -> work.probe(this.works++)).toList();
        send(pool, new Pool.Assignment(slow, copies), now);
    }

    private void send(Pool pool, Pool.Assignment assignment, long now) {
        InstanceQueue queue = assignment.queue();
        Batch batch = new Batch(batches++, queue.instance(), assignment.works(), now);
        sent.put(batch.number(), batch);
        queue.batches().put(batch.number(), batch);
        boolean sending = false;
        try {
            begin(batch, now);
            pool.freed(queue); // it may take more than one batch
            effects.send(batch);
            sending = true;
        } finally {
            if (!sending) {
                close(batch.number()); // or it would keep its place at the instance for ever
            }
        }
    }

    private void begin(Batch batch, long now) {
        for (Work work : batch.works()) {
            work.sentWith(batch);
            if (work.query() != null && work.role().equals(Role.DEPLOYED)) {
                meter.queued(now - work.query().arrived());
            }
            if (work.trace().isOn()) {
                begin(work, batch, now);
            }
        }
    }

    /* A query waits from its arrival, each time that it is sent: as the meter has it. */
    private static void begin(Work work, Batch batch, long now) {
        if (work.query() != null) {
            work.trace().begin("queue", work.query().arrived()).end(now);
        }
        work.span(work.trace()
                .begin("compute", now)
                .with("paritas.role", work.role().toString())
                .with("paritas.instance", batch.instance().id())
                .with("paritas.where", batch.instance().where())
                .with("paritas.batch", batch.number()));
    }

    /** See {@link Effects#compute}. */
    <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {
        effects.compute(work, (result, now) -> {
            done.accept(result, now);
            pump(now);
        });
    }

    /** See {@link Effects#observer}. */
    AnswerObserver observer() {
        return effects.observer();
    }

    /** The share of the instances of a role that have nothing to do; 0 if there are none. */
    double idle(Role role) {
        return pools.get(role).idle();
    }

    /** The median of the time that an instance of a role takes for a query; empty while that is not known. */
    OptionalLong usual(Role role) {
        return pools.get(role).usual(1);
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

    /** How many queries have no reply. */
    int unanswered() {
        return unanswered.size();
    }

    /** Replies to all queries without a reply, and to those that are yet to come, that they are unavailable. */
    void abandon(String reason, long now) {
        abandoned = reason;
        for (Query query : List.copyOf(unanswered)) {
            reply(query, Reply.unavailable(reason), now);
            strategy.expired(query, now);
        }
    }

    /** How many queries are kept, with a reply or without. */
    int remembered() {
        return Math.max(unanswered.size(), strategy.remembered());
    }

    /** How many things are kept for queries: 0 when all have replies and no instance has work. */
    int kept() {
        int waiting = pools.values().stream().mapToInt(Pool::waiting).sum();
        return remembered() + sent.size() + waiting + timers.size();
    }

    /** How much work waits for an instance of a role. */
    int waiting(Role role) {
        return pools.get(role).waiting();
    }

    /** How many queries wait for an instance of the deployed model, however many copies of them do. */
    int waitingQueries() {
        return pools.get(Role.DEPLOYED).waitingQueries();
    }

    /** The instances and the number of batches that each has. */
    Map<Instance, Integer> instances() {
        Map<Instance, Integer> all = new LinkedHashMap<>();
        pools.values().forEach(pool -> pool.queues()
                .forEach(queue -> all.put(queue.instance(), queue.batches().size())));
        return all;
    }

    /** The number of instances of a role. */
    int instances(Role role) {
        return pools.get(role).size();
    }

    /** All roles, with instances or without. */
    List<Role> roles() {
        return new ArrayList<>(pools.keySet());
    }
}
