/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.RareWarnings;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One version of a model: its broker behind a mailbox, with a clock and links to its instances. Thread-safe; never blocks. */
final class Lane implements Effects {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /* A century: sums of times with it do not overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final Reply FAULT = Reply.unavailable("the front end has a fault, see its log: ask again");

    private final ServedModel model;
    private final ScheduledExecutorService clock;
    private final Executor replies;
    private final AnswerObserver observer;
    private final RowMemory memory;
    private final long rowBytes;
    private final Broker broker;
    /* By instance. */
    private final RareWarnings failures;
    private final Map<Instance, Link> links = new ConcurrentHashMap<>();
    private final Map<String, Instance> gone = new TreeMap<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final Mailbox mailbox;
    /* Queries in the mailbox. */
    private final AtomicInteger arriving = new AtomicInteger();
    /* Those that are not done, though their replies may be on the way. */
    private final Set<Arrival> open = ConcurrentHashMap.newKeySet();
    /* Made once: there may be no memory for another. */
    private final LongConsumer watch = this::findLost;
    private Future<?> wakeUp = CompletableFuture.completedFuture(null);
    private long wakes = Long.MAX_VALUE;
    private boolean awaited;
    private boolean ending;
    private long watched = -1;
    private volatile boolean draining;
    private volatile int waiting;
    private volatile int deployed;

    /**
     * A lane without queries and instances.
     *
     * @param clock wakes it
     * @param replies runs what depends on its end
     * @param observer looks at its answers
     * @param memory of the rows of its queries
     */
    Lane(
            ServedModel model,
            ScheduledExecutorService clock,
            Executor replies,
            AnswerObserver observer,
            RowMemory memory) {
        this(model, clock, replies, observer, memory, new RareWarnings(LOG));
    }

    /** A lane that warns of failures by a clock of its own. */
    Lane(
            ServedModel model,
            ScheduledExecutorService clock,
            Executor replies,
            AnswerObserver observer,
            RowMemory memory,
            RareWarnings failures) {
        this.failures = failures;
        this.memory = memory;
        this.rowBytes = (long) Float.BYTES * model.input().size();
        this.model = model;
        this.clock = clock;
        this.replies = replies;
        this.mailbox = new Mailbox(model, this::settle);
        this.observer = observer.equals(AnswerObserver.NONE) ? observer : new AfterEvent(observer, mailbox);
        this.broker = new Broker(model.policy(), model.limits(), this);
    }

    /** Observes after the event, as all effects do: a fault of the observer's is none of the broker's. */
    private record AfterEvent(AnswerObserver observer, Mailbox mailbox) implements AnswerObserver {
        @Override
        public void answered(InstanceAnswer answer) {
            mailbox.effect(() -> observer.answered(answer));
        }

        @Override
        public boolean wantsGroups() {
            return observer.wantsGroups();
        }

        @Override
        public void completed(AnsweredGroup group) {
            mailbox.effect(() -> observer.completed(group));
        }
    }

    ServedModel model() {
        return model;
    }

    /** Submits queries, all or none of them. The executor runs what depends on their replies. */
    List<CompletableFuture<Reply>> submit(
            String tenant, List<float[]> inputs, Duration deadline, TraceSpan trace, Executor executor) {
        long wait = (deadline.compareTo(LONGEST) < 0 ? deadline : LONGEST).toNanos();
        long end = System.nanoTime() + wait;
        List<Arrival> arrivals = inputs.stream()
                .map(input -> new Arrival(owner(tenant, input), input, trace, executor, end))
                .toList();
        List<CompletableFuture<Reply>> futures =
                arrivals.stream().map(arrival -> arrival.reply).toList();
        AtomicInteger counted = new AtomicInteger(arrivals.size());
        requireRoom(arrivals.size());
        try {
            arrivals.forEach(this::keepUntilDone);
            mailbox.post(now -> submit(arrivals, counted, now, now + wait));
        } catch (
                Throwable
                        e) { // memory is short, also for objects here, and nobody else gives back what they have taken
            haveCome(counted);
            for (int i = 0; i < arrivals.size(); i++) {
                giveBack(arrivals.get(i));
            }
            throw e;
        }
        return futures;
    }

    private void keepUntilDone(Arrival arrival) {
        open.add(arrival);
        var unused = arrival.reply.whenComplete((done, failure) -> {
            if (open.remove(arrival)) {
                memory.giveBack(rowBytes);
            }
        });
    }

    private void giveBack(Arrival arrival) {
        if (open.remove(arrival) || !arrival.reply.isDone()) { // or it has done so
            memory.giveBack(rowBytes);
        }
    }

    private void haveCome(AtomicInteger counted) {
        arriving.addAndGet(-counted.getAndSet(0));
    }

    /* After a fault with one of them, it and those behind it are not lost: they are unavailable. */
    private void submit(List<Arrival> arrivals, AtomicInteger counted, long now, long deadline) {
        int submitted = 0;
        try {
            for (Arrival arrival : arrivals) {
                submit(arrival, now, deadline);
                submitted++;
            }
        } finally {
            waiting = broker.waitingQueries();
            haveCome(counted);
            for (Arrival lost : arrivals.subList(submitted, arrivals.size())) {
                mailbox.effect(() -> lost.complete(FAULT));
            }
        }
    }

    /** A query that has come. It is itself what its executor runs in the end: memory may be too short then for another object. */
    private static final class Arrival implements Runnable {
        /* Whose it may be coded with. */
        private final Optional<String> owner;
        private final float[] input;
        private final TraceSpan trace;
        private final Executor executor;
        private final long deadline;
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private volatile Reply done;

        Arrival(Optional<String> owner, float[] input, TraceSpan trace, Executor executor, long deadline) {
            this.owner = owner;
            this.input = input;
            this.trace = trace;
            this.executor = executor;
            this.deadline = deadline;
        }

        /* The first reply counts. */
        void complete(Reply with) {
            if (done == null) {
                done = with;
                execute(executor, this);
            }
        }

        @Override
        public void run() {
            reply.complete(done);
        }
    }

    /* A reply must come, whatever the executor says: the system may have no thread left for it. */
    private static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error e) {
            task.run();
        }
    }

    /* All values are looked at, which takes time. */
    private Optional<String> owner(String tenant, float[] input) {
        return Optional.of(tenant).filter(owner -> model.policy().combines(input));
    }

    /* Those that arrive are counted first: a lane is not drained while there are any. */
    private void requireRoom(int queries) {
        int others = arriving.getAndAdd(queries) + waiting;
        try {
            if (draining) {
                throw new RejectedException("the model " + model + " takes no more queries, it is being replaced or the"
                        + " front end ends: ask again");
            }
            broker.requireRoom(queries, others);
            requireMemory(queries);
        } catch (RuntimeException | Error e) {
            arriving.addAndGet(-queries);
            if (draining) {
                mailbox.post(now -> {}); // it may be drained now
            }
            throw e;
        }
    }

    private void requireMemory(int queries) {
        try {
            memory.take(queries * rowBytes);
        } catch (RejectedException e) {
            broker.meter().rejected(queries);
            throw e;
        }
    }

    private void submit(Arrival arrival, long now, long deadline) {
        Query query = broker.submit(
                new Query(arrival.owner, arrival.input, now, deadline, arrival::complete, arrival.trace), now);
        var unused = arrival.reply.whenComplete((done, failure) -> {
            if (failure instanceof CancellationException) {
                mailbox.post(later -> broker.withdraw(query, later));
            }
        });
    }

    void join(Instance instance, Link link) {
        if (!model.policy().roles().contains(instance.role())) {
            throw new IllegalArgumentException(
                    "the role of an instance must be one of " + model.policy().roles() + ", got " + instance);
        }
        mailbox.post(now -> {
            links.put(instance, link);
            broker.join(instance, now);
            links.keySet().retainAll(broker.instances().keySet()); // it may have replaced another
            gone.remove(instance.id());
            deployed = broker.instances(Role.DEPLOYED);
        });
    }

    void leave(Instance instance) {
        mailbox.post(now -> {
            if (broker.instances().containsKey(instance)) {
                gone.put(instance.id(), instance);
            }
            broker.leave(instance, now);
            links.remove(instance);
            deployed = broker.instances(Role.DEPLOYED);
        });
    }

    /** The number of ready instances of the deployed model. */
    int deployed() {
        return deployed;
    }

    /** Takes no more queries. Done when the futures of all queries are. */
    CompletableFuture<Void> drain() {
        mailbox.post(now -> {
            draining = true;
            awaited = true;
        });
        return drained;
    }

    /** Takes no more queries and makes those without a reply unavailable, among them those that are in the mailbox. */
    void close() {
        mailbox.post(now -> {
            draining = true;
            broker.abandon("the front end was closed", now);
        });
    }

    private void settle() {
        schedule();
        waiting = broker.waitingQueries();
        if (awaited && !ending && arriving.get() == 0 && broker.unanswered() == 0) {
            mailbox.effect(this::endWithReplies); // first: what follows fails where memory is short
            ending = true;
            forgetWakeUp();
        }
    }

    /* The clock keeps the lane until the last wake-up, which may be that for the deadline of a query that is answered. */
    private void forgetWakeUp() {
        wakeUp.cancel(false);
        wakes = Long.MAX_VALUE;
        schedule();
    }

    /* A future counts as done before what depends on it has run: that may wait for the end. */
    private void endWithReplies() {
        var unused = CompletableFuture.allOf(
                        open.stream().map(arrival -> arrival.reply).toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> execute(replies, () -> drained.complete(null)));
    }

    /*
     * There is one wake-up, for the first timer; a later one is set when it is over. One that comes too early, because its timer was
     * cancelled, costs less than to replace it. Times of nanoTime are compared as they are: they do not overflow within the life of a
     * machine.
     */
    private void schedule() {
        long due = broker.due().orElse(Long.MAX_VALUE);
        if (due < wakes) {
            wakeUp.cancel(false);
            /* There is none yet. If memory is short for one, the end of the next event tries again. */
            wakes = Long.MAX_VALUE;
            try {
                wakeUp = clock.schedule(() -> wake(due), due - System.nanoTime(), TimeUnit.NANOSECONDS);
                wakes = due;
            } catch (RejectedExecutionException e) { // also where the model came while, or after, it was closed
                broker.abandon("the front end was closed", System.nanoTime());
            }
        }
    }

    private void wake(long due) {
        mailbox.post(now -> {
            if (wakes == due) { // not replaced while it was in the mailbox
                wakes = Long.MAX_VALUE;
            }
            broker.tick(now);
        });
    }

    /**
     * Finds what was lost while memory was short: wake-ups, answers, deadlines, replies and the end. To be called about each second: what
     * is not done then is done at a later call.
     */
    void watch() {
        mailbox.post(watch);
    }

    private void findLost(long now) {
        if (wakes < now - SECOND) {
            wakes = Long.MAX_VALUE; // the end of this event sets another
        }
        if (open.isEmpty() && !drained.isDone()) {
            ending = false;
        }
        for (Batch batch : broker.sent()) {
            CompletableFuture<float[][]> answer = batch.answer().get();
            if (answer != null && answer.isDone()) {
                mailbox.effect(() -> hear(batch, answer));
            } else if (answer == null && batch.number() <= watched) { // it was there at the last call
                broker.failed(batch.number(), "the front end could not send the batch", now);
            }
        }
        watched = broker.lastBatch();
        broker.expireBefore(now - SECOND, now);
        for (Arrival arrival : open) {
            if (arrival.done == null && arrival.deadline < now - 2 * SECOND) {
                mailbox.effect(() -> arrival.complete(FAULT));
            }
        }
    }

    @Override
    public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {
        mailbox.effect(() -> {
            T result = work.get();
            mailbox.post(now -> done.accept(result, now));
        });
    }

    @Override
    public void send(Batch batch) {
        mailbox.effect(() -> {
            CompletableFuture<float[][]> answer = predict(batch);
            batch.answer().set(answer);
            hear(batch, answer);
        });
    }

    private void hear(Batch batch, CompletableFuture<float[][]> answer) {
        var unused = answer.handle((outputs, failure) -> {
            answered(batch, failure == null ? wrong(batch, outputs) : reason(failure), outputs);
            return null;
        });
    }

    /** Says what is wrong with outputs; empty if nothing is. */
    private String wrong(Batch batch, float[][] outputs) {
        int size = model.output().size();
        boolean right = outputs != null
                && outputs.length == batch.works().size()
                && Arrays.stream(outputs).allMatch(output -> output != null && output.length == size);
        return right
                ? ""
                : batch.instance().where() + " must answer " + size + " values for each of "
                        + batch.works().size() + " queries and did not: does it run another model?";
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isEmpty() ? failure.toString() : message;
    }

    private void answered(Batch batch, String trouble, float[][] outputs) {
        if (trouble.isEmpty()) {
            mailbox.post(now -> broker.answered(batch.number(), outputs, now));
        } else {
            try {
                log(batch, trouble);
            } finally {
                mailbox.post(now -> broker.failed(batch.number(), trouble, now));
            }
        }
    }

    private void log(Batch batch, String trouble) {
        String text = "Paritas: " + batch.instance().where() + ", for the model " + model + ": " + trouble;
        if (batch.isOver()) {
            LOG.debug(text);
        } else {
            failures.warn(batch.instance().id(), text);
        }
    }

    private CompletableFuture<float[][]> predict(Batch batch) {
        Link link = links.get(batch.instance());
        if (link == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(batch.instance().where() + " was lost"));
        }
        try {
            return Objects.requireNonNull(
                    link.predict(batch.number(), batch.inputs(), batch.traceparent()),
                    () -> batch.instance().where() + " must return a future of its answer, got null");
        } catch (RuntimeException | Error e) { // or the instance would be waited for
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void cancel(Batch batch) {
        Link link = links.get(batch.instance());
        if (link != null) {
            mailbox.effect(() -> link.cancel(batch.number()));
        }
    }

    @Override
    public void reply(Query query, Reply reply) {
        mailbox.effect(() -> query.onReply().accept(reply));
    }

    @Override
    public AnswerObserver observer() {
        return observer;
    }

    /** See {@link Broker#kept}; links of instances that are gone count, too. */
    int kept() {
        return mailbox.ask(
                () -> broker.kept() + links.size() - broker.instances().size());
    }

    /** The status, where that version of the model is current; null if none is. */
    ModelStatus status(String current) {
        return mailbox.ask(() -> {
            Map<Role, Integer> backlog = new TreeMap<>();
            broker.roles().forEach(role -> backlog.put(role, broker.waiting(role)));
            return new ModelStatus(
                    model,
                    model.version().equals(current),
                    draining,
                    broker.instances(),
                    List.copyOf(gone.values()),
                    new ModelStatus.Backlog(backlog, broker.unanswered()),
                    broker.meter());
        });
    }
}
