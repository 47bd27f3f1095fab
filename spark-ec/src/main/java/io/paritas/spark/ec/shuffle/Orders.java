/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.FutureConverters;
import scala.reflect.ClassTag$;

/**
 * Sends the driver's orders to executors, through Spark's block transfer. An executor whose disk hangs takes them and says nothing ever
 * after, while Spark hears its heartbeats: its orders fail. Thread-safe.
 */
final class Orders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

    /** Connections that are opened at once. */
    private static final int SENDERS = 4;

    /** Bytes a second that an executor reads at least, unless it is to read fewer. */
    private static final long LEAST_SPEED = 1 << 20;

    /** How often it is to be looked who is silent. */
    static final long LOOK_MILLIS = 5_000;

    /** How much of the time since the last look counts: answers come late to a driver that has stood still. */
    private static final long MOST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * LOOK_MILLIS);

    /** How often its limit a silent executor gets no orders at first: its answers may have been lost, and it has none to answer then. */
    private static final int FIRST_REST = 10;

    /** The sum of two is a number. */
    private static final long MOST_NANOS = Long.MAX_VALUE / 2;

    private final ExecutorService senders = ShuffleCoding.daemons(SENDERS, "paritas-shuffle-order");
    private final Upload upload;
    private final long timeoutNanos;
    private final long bytesPerSecond;
    private final LongSupplier clock;

    /** What executors have not answered, and what is still to be sent to them. Guarded by this. */
    private final Map<BlockManagerId, Open> open = new HashMap<>();

    /** When it was looked last who is silent. Guarded by this. */
    private long looked;

    /** Sends bytes to an executor. */
    @FunctionalInterface
    interface Upload {
        /** Returns the receipt. */
        CompletionStage<?> to(BlockManagerId executor, RequestId order, byte[] bytes);
    }

    /** An order that is to be answered. */
    private static final class Order {
        /** How long it takes at most. */
        private final long nanos;

        private final Consumer<Throwable> failed;
        /** Whether a sender has, or had, its turn. */
        private boolean sent;

        Order(long nanos, Consumer<Throwable> failed) {
            this.nanos = nanos;
            this.failed = failed;
        }
    }

    /** The orders of an executor, which carries out one after the other. */
    private static final class Open {
        private final Map<RequestId, Order> orders = new HashMap<>();
        /** When it has answered last, or the first of what it has to answer was sent. */
        private long heard;
        /** How long the longest takes that was sent since then, and whose shuffle is over: it may be at work on it. */
        private long over;
        /** Those that have failed because it said nothing. It may answer them. */
        private final Set<RequestId> overdue = new HashSet<>();
        /** For how long it gets none while some are overdue, twice as long each time, and since when. */
        private long rest;

        private long restsSince;

        private void send(Order order, long now) {
            if (limit() == 0) {
                heard = now;
            }
            order.sent = true;
        }

        /** How long it may say nothing; 0 if it has nothing to answer. */
        private long limit() {
            return over + longest(orders.values().stream());
        }

        private static long longest(Stream<Order> some) {
            return some.filter(order -> order.sent)
                    .mapToLong(order -> order.nanos)
                    .max()
                    .orElse(0);
        }

        private void answered(long now) {
            heard = now;
            over = 0;
            rest = 0;
            overdue.clear();
        }

        private void forget(int shuffle) {
            over = Math.max(
                    over,
                    longest(orders.entrySet().stream()
                            .filter(order -> order.getKey().shuffle() == shuffle)
                            .map(Map.Entry::getValue)));
            orders.keySet().removeIf(order -> order.shuffle() == shuffle);
            overdue.removeIf(order -> order.shuffle() == shuffle);
        }

        private boolean rests(long now) {
            return !overdue.isEmpty() && now - restsSince < rest;
        }

        /** It has said nothing for too long; returns what has failed. */
        private Collection<Order> giveUp(long now) {
            over = 0;
            if (limit() == 0) {
                return List.of(); // all that it has to answer is over
            }
            rest = Math.min(rest == 0 ? FIRST_REST * limit() : 2 * rest, MOST_NANOS / FIRST_REST);
            restsSince = now;
            List<Order> failed = List.copyOf(orders.values());
            orders.forEach((id, order) -> {
                if (order.sent) {
                    overdue.add(id);
                }
            });
            orders.clear();
            return failed;
        }

        private boolean isOver() {
            return over == 0 && orders.isEmpty() && overdue.isEmpty();
        }
    }

    /**
     * @param timeout how long an executor takes at most to answer an order for no bytes
     * @param bytesPerSecond bytes that an executor reads at most; 0 is no limit
     */
    Orders(Duration timeout, long bytesPerSecond) {
        this(Orders::upload, timeout, bytesPerSecond, System::nanoTime);
    }

    /** @param clock nanoseconds since any moment */
    Orders(Upload upload, Duration timeout, long bytesPerSecond, LongSupplier clock) {
        this.upload = upload;
        this.timeoutNanos = timeout.toNanos();
        this.bytesPerSecond = bytesPerSecond == 0 ? LEAST_SPEED : Math.min(bytesPerSecond, LEAST_SPEED);
        this.clock = clock;
        this.looked = clock.getAsLong();
    }

    /**
     * Sends an order that is {@linkplain #answered answered}.
     *
     * @param reads about how many bytes are read to carry it out
     * @param bytes makes what belongs to it
     * @param failed takes the reason if it is not received, not made, or not answered
     */
    void sendForAnswer(
            BlockManagerId executor, RequestId order, long reads, Supplier<byte[]> bytes, Consumer<Throwable> failed) {
        long reading = (long) ((double) reads / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
        Order mine = new Order(timeoutNanos + Math.min(reading, MOST_NANOS - timeoutNanos), failed);
        synchronized (this) {
            open.computeIfAbsent(executor, any -> new Open()).orders.put(order, mine);
        }
        send(executor, order, bytes, () -> begin(executor, order, mine), failure -> {
            if (hasFailed(executor, order, mine)) {
                failed.accept(failure);
            }
        });
    }

    /** A sender has its turn: the time of the executor runs. Returns whether the order is wanted any more. */
    private synchronized boolean begin(BlockManagerId executor, RequestId order, Order mine) {
        Open its = open.get(executor);
        boolean isWanted = its != null && its.orders.get(order) == mine;
        if (isWanted) {
            its.send(mine, clock.getAsLong());
        }
        return isWanted;
    }

    /** Returns whether it was open. The same order may have been given again. One that is not received is not answered. */
    private synchronized boolean hasFailed(BlockManagerId executor, RequestId order, Order mine) {
        Open its = open.get(executor);
        if (its == null) {
            return false;
        }
        boolean removed = its.orders.remove(order, mine);
        its.overdue.remove(order);
        removeIfOver(executor, its);
        return removed;
    }

    private void removeIfOver(BlockManagerId executor, Open its) {
        if (its.isOver()) {
            open.remove(executor);
        }
    }

    /**
     * Sends an order, and does not wait for its receipt: a frozen executor would keep the others waiting.
     *
     * @param bytes makes what belongs to it
     * @param failed takes the reason if it is not received, or not made
     */
    void send(BlockManagerId executor, RequestId order, Supplier<byte[]> bytes, Consumer<Throwable> failed) {
        send(executor, order, bytes, () -> true, failed);
    }

    private void send(
            BlockManagerId executor,
            RequestId order,
            Supplier<byte[]> bytes,
            BooleanSupplier isWanted,
            Consumer<Throwable> failed) {
        Supplier<CompletionStage<?>> sending = () -> isWanted.getAsBoolean()
                ? upload.to(executor, order, bytes.get())
                : CompletableFuture.completedFuture(null);
        var unused = receipt(sending).exceptionally(failure -> {
            failed.accept(failure.getCause() == null ? failure : failure.getCause());
            return null;
        });
    }

    private CompletableFuture<?> receipt(Supplier<CompletionStage<?>> sending) {
        try {
            return CompletableFuture.supplyAsync(sending, senders)
                    .thenCompose(receipt -> receipt.thenAccept(received -> {}));
        } catch (RejectedExecutionException | OutOfMemoryError e) { // there is no thread for it
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletionStage<?> upload(BlockManagerId executor, RequestId order, byte[] bytes) {
        return FutureConverters.asJava(SparkEnv.get()
                .blockManager()
                .blockTransferService()
                .uploadBlock(
                        executor.host(),
                        executor.port(),
                        executor.executorId(),
                        order.blockId(),
                        new NioManagedBuffer(ByteBuffer.wrap(bytes)),
                        StorageLevel.DISK_ONLY(),
                        ClassTag$.MODULE$.apply(byte[].class)));
    }

    /**
     * An executor has said what became of an order: it goes on with the next one.
     *
     * @return whether it was taken for silent, and {@linkplain #answering gets orders} again
     */
    synchronized boolean answered(BlockManagerId executor, RequestId order) {
        Open its = open.get(executor);
        if (its == null) {
            return false;
        }
        boolean wasSilent = !its.overdue.isEmpty();
        its.orders.remove(order);
        its.answered(clock.getAsLong());
        removeIfOver(executor, its);
        return wasSilent;
    }

    /**
     * Executors that get orders: not who has answered none for too long, until it answers one, or all that it has not answered were not
     * received, or are of shuffles that are over, or it has rested.
     */
    synchronized List<BlockManagerId> answering(List<BlockManagerId> executors) {
        long now = clock.getAsLong();
        return executors.stream()
                .filter(executor ->
                        !open.containsKey(executor) || !open.get(executor).rests(now))
                .toList();
    }

    /** An executor has left: nobody waits for its answers. */
    synchronized void forget(String executor) {
        open.keySet().removeIf(of -> of.executorId().equals(executor));
    }

    /** A shuffle is over, and executors do not answer its orders. */
    synchronized void forget(int shuffle) {
        open.values().removeIf(its -> {
            its.forget(shuffle);
            return its.isOver();
        });
    }

    /** All orders of executors that have answered none for too long have failed. */
    void giveUpSilent() {
        for (Order order : takeSilent()) {
            try {
                order.failed.accept(new IOException("it is not answered"));
            } catch (Throwable e) { // The others must hear of theirs.
                LOG.warn("an order that is not answered cannot be given again", e);
            }
        }
    }

    private synchronized Collection<Order> takeSilent() {
        List<Order> silent = new ArrayList<>();
        long now = clock.getAsLong();
        long still = Math.max(0, now - looked - MOST_LOOK_NANOS);
        looked = now;
        for (Iterator<Map.Entry<BlockManagerId, Open>> all = open.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<BlockManagerId, Open> each = all.next();
            Open its = each.getValue();
            long silence = Math.max(0, now - its.heard - still);
            its.heard = now - silence;
            if (silence > its.limit()) {
                Collection<Order> failed = its.giveUp(now);
                if (!failed.isEmpty()) {
                    LOG.warn(
                            "executor {} must answer orders to code map outputs, and has answered none of {} for {} s: others are asked,"
                                    + " look whether its disks hang",
                            each.getKey().executorId(),
                            failed.size(),
                            TimeUnit.NANOSECONDS.toSeconds(silence));
                    silent.addAll(failed);
                }
                if (its.isOver()) {
                    all.remove();
                }
            }
        }
        return silent;
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
