/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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

    private final ExecutorService senders = ShuffleCoding.daemons(SENDERS, "paritas-shuffle-order");
    private final Upload upload;
    private final long timeoutNanos;
    private final long bytesPerSecond;
    private final LongSupplier clock;

    /** What executors have not answered. Guarded by this. */
    private final Map<BlockManagerId, Open> open = new HashMap<>();

    /** Sends bytes to an executor. */
    @FunctionalInterface
    interface Upload {
        /** Returns the receipt. */
        CompletionStage<?> to(BlockManagerId executor, RequestId order, byte[] bytes);
    }

    /**
     * An order that is to be answered.
     *
     * @param nanos how long it takes at most
     */
    private record Order(long nanos, Consumer<Throwable> failed) {}

    /** The orders of an executor, which carries out one after the other. */
    private static final class Open {
        private final Map<RequestId, Order> orders = new HashMap<>();
        /** When it has answered last, or got the first of these. */
        private long heard;

        Open(long now) {
            this.heard = now;
        }

        private long limit() {
            return orders.values().stream().mapToLong(Order::nanos).max().orElse(0);
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
        long nanos = timeoutNanos + (long) ((double) reads / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
        synchronized (this) {
            open.computeIfAbsent(executor, any -> new Open(clock.getAsLong()))
                    .orders
                    .put(order, new Order(nanos, failed));
        }
        send(executor, order, bytes, failure -> {
            if (remove(executor, order)) {
                failed.accept(failure);
            }
        });
    }

    /**
     * Sends an order, and does not wait for its receipt: a frozen executor would keep the others waiting.
     *
     * @param bytes makes what belongs to it
     * @param failed takes the reason if it is not received, or not made
     */
    void send(BlockManagerId executor, RequestId order, Supplier<byte[]> bytes, Consumer<Throwable> failed) {
        var unused = receipt(executor, order, bytes).exceptionally(failure -> {
            failed.accept(failure.getCause() == null ? failure : failure.getCause());
            return null;
        });
    }

    private CompletableFuture<?> receipt(BlockManagerId executor, RequestId order, Supplier<byte[]> bytes) {
        try {
            return CompletableFuture.supplyAsync(() -> upload.to(executor, order, bytes.get()), senders)
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

    /** An executor has said what became of an order: it goes on with the next one. */
    synchronized void answered(BlockManagerId executor, RequestId order) {
        remove(executor, order);
        Open others = open.get(executor);
        if (others != null) {
            others.heard = clock.getAsLong();
        }
    }

    /** Returns whether it was open. */
    private synchronized boolean remove(BlockManagerId executor, RequestId order) {
        Open its = open.get(executor);
        boolean removed = its != null && its.orders.remove(order) != null;
        if (removed && its.orders.isEmpty()) {
            open.remove(executor);
        }
        return removed;
    }

    /** An executor has left: nobody waits for its answers. */
    synchronized void forget(String executor) {
        open.keySet().removeIf(of -> of.executorId().equals(executor));
    }

    /** A shuffle is over, and executors do not answer its orders. */
    synchronized void forget(int shuffle) {
        open.values().removeIf(its -> {
            its.orders.keySet().removeIf(order -> order.shuffle() == shuffle);
            return its.orders.isEmpty();
        });
    }

    /** All orders of executors that have answered none for too long have failed. */
    void giveUpSilent() {
        takeSilent().forEach(order -> order.failed().accept(new IOException("it is not answered")));
    }

    private synchronized Collection<Order> takeSilent() {
        List<Order> silent = new ArrayList<>();
        for (Iterator<Map.Entry<BlockManagerId, Open>> all = open.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<BlockManagerId, Open> each = all.next();
            Open its = each.getValue();
            long silence = clock.getAsLong() - its.heard;
            if (silence > its.limit()) {
                LOG.warn(
                        "executor {} must answer orders to code map outputs, and has answered none of {} for {} s: others are asked,"
                                + " look whether its disks hang",
                        each.getKey().executorId(),
                        its.orders.size(),
                        TimeUnit.NANOSECONDS.toSeconds(silence));
                silent.addAll(its.orders.values());
                all.remove();
            }
        }
        return silent;
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
