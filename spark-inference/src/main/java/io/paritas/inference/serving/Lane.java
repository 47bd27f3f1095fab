/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One version of a model: its broker with a lock, a clock and links to its instances. The broker's effects run after the lock is
 * released, so that nobody waits for an encoder or a socket. Thread-safe.
 */
final class Lane implements Effects {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final ServedModel model;
    private final ScheduledExecutorService clock;
    private final Broker broker;
    private final Map<Instance, Link> links = new ConcurrentHashMap<>();
    private final Map<String, Instance> gone = new TreeMap<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private List<Runnable> outbox = new ArrayList<>();
    private Future<?> wakeUp = CompletableFuture.completedFuture(null);
    private long wakes = Long.MAX_VALUE;
    private boolean draining;
    private volatile int deployed;

    Lane(ServedModel model, ScheduledExecutorService clock) {
        this.model = model;
        this.clock = clock;
        this.broker = new Broker(model.policy(), model.limits(), this);
    }

    ServedModel model() {
        return model;
    }

    /** Submits queries, all or none of them. */
    List<CompletableFuture<Reply>> submit(String tenant, List<float[]> inputs, Duration deadline) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        // All values are looked at, which takes time: not under the lock.
        List<Optional<String>> owners = inputs.stream()
                .map(input -> Optional.of(tenant).filter(owner -> model.policy().combines(input)))
                .toList();
        change(now -> {
            if (draining) {
                throw new RejectedException("the model " + model + " takes no more queries, it is being replaced or the"
                        + " front end ends: ask again");
            }
            broker.requireRoom(inputs.size());
            for (int row = 0; row < inputs.size(); row++) {
                CompletableFuture<Reply> reply = new CompletableFuture<>();
                replies.add(reply);
                Query query =
                        broker.submit(owners.get(row), inputs.get(row), now, now + deadline.toNanos(), reply::complete);
                var unused = reply.whenComplete((done, failure) -> {
                    if (failure instanceof CancellationException) {
                        change(later -> broker.withdraw(query, later));
                    }
                });
            }
        });
        return replies;
    }

    void join(Instance instance, Link link) {
        links.put(instance, link);
        change(now -> {
            broker.join(instance, now);
            gone.remove(instance.id());
            deployed = broker.instances(Role.DEPLOYED);
        });
    }

    void leave(Instance instance) {
        change(now -> {
            if (broker.instances().containsKey(instance)) {
                gone.put(instance.id(), instance);
            }
            broker.leave(instance, now);
            deployed = broker.instances(Role.DEPLOYED);
        });
        links.remove(instance);
    }

    /** The number of ready instances of the deployed model. */
    int deployed() {
        return deployed;
    }

    /** Takes no more queries. Done when all queries have replies. */
    CompletableFuture<Void> drain() {
        change(now -> draining = true);
        return drained;
    }

    /** Takes no more queries and makes those without a reply unavailable. */
    void close() {
        change(now -> {
            draining = true;
            broker.abandon("the front end was closed", now);
        });
    }

    /** Changes the broker under the lock, then runs its effects. A change that throws has had none. */
    private void change(LongConsumer change) {
        List<Runnable> todo;
        synchronized (this) {
            change.accept(System.nanoTime());
            schedule();
            todo = outbox;
            outbox = new ArrayList<>();
            if (draining && broker.unanswered() == 0) {
                todo.add(() -> drained.complete(null));
            }
        }
        todo.forEach(Runnable::run);
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
            wakes = due;
            wakeUp = clock.schedule(() -> wake(due), due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private void wake(long due) {
        try {
            change(now -> {
                if (wakes == due) { // not replaced while it waited for the lock
                    wakes = Long.MAX_VALUE;
                }
                broker.tick(now);
            });
        } catch (RuntimeException e) {
            LOG.error("Paritas: a timer of the model {} failed", model, e);
        }
    }

    @Override
    public void send(Batch batch) {
        outbox.add(() -> {
            var unused = predict(batch).handle((outputs, failure) -> {
                answered(batch, failure == null ? wrong(batch, outputs) : failure.getMessage(), outputs);
                return null;
            });
        });
    }

    /** Says what is wrong with outputs; empty if nothing is. */
    private String wrong(Batch batch, float[][] outputs) {
        int size = model.output().size();
        boolean right = outputs.length == batch.works().size()
                && Arrays.stream(outputs).allMatch(output -> output.length == size);
        return right
                ? ""
                : batch.instance().where() + " must answer " + size + " values for each of "
                        + batch.works().size() + " queries and did not: does it run another model?";
    }

    private void answered(Batch batch, String trouble, float[][] outputs) {
        if ("".equals(trouble)) {
            change(now -> broker.answered(batch.number(), outputs, now));
        } else {
            String where = batch.instance().where();
            LOG.atLevel(batch.isOver() ? Level.DEBUG : Level.WARN)
                    .log("Paritas: {}, for the model {}: {}", where, model, trouble);
            change(now -> broker.failed(batch.number(), String.valueOf(trouble), now));
        }
    }

    private CompletableFuture<float[][]> predict(Batch batch) {
        Link link = links.get(batch.instance());
        if (link == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(batch.instance().where() + " was lost"));
        }
        try {
            return link.predict(batch.number(), batch.inputs());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void cancel(Batch batch) {
        Link link = links.get(batch.instance());
        if (link != null) {
            outbox.add(() -> link.cancel(batch.number()));
        }
    }

    @Override
    public void reply(Query query, Reply reply) {
        outbox.add(() -> query.onReply().accept(reply));
    }

    /** See {@link Broker#kept}. */
    synchronized int kept() {
        return broker.kept();
    }

    /** The status, where that version of the model is current; null if none is. */
    synchronized ModelStatus status(String current) {
        Map<Role, Integer> waiting = new TreeMap<>();
        broker.roles().forEach(role -> waiting.put(role, broker.waiting(role)));
        return new ModelStatus(
                model,
                model.version().equals(current),
                draining,
                broker.instances(),
                List.copyOf(gone.values()),
                new ModelStatus.Backlog(waiting, broker.unanswered()),
                broker.meter());
    }
}
