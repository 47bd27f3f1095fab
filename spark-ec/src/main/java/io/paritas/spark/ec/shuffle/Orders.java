/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import scala.jdk.javaapi.FutureConverters;
import scala.reflect.ClassTag$;

/** Sends the driver's orders to executors, through Spark's block transfer. Thread-safe. */
final class Orders implements AutoCloseable {
    /** Connections that are opened at once. */
    private static final int SENDERS = 4;

    private final ExecutorService senders = ShuffleCoding.daemons(SENDERS, "paritas-shuffle-order");

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
            return CompletableFuture.supplyAsync(
                            () -> {
                                NioManagedBuffer made = new NioManagedBuffer(ByteBuffer.wrap(bytes.get()));
                                return SparkEnv.get()
                                        .blockManager()
                                        .blockTransferService()
                                        .uploadBlock(
                                                executor.host(),
                                                executor.port(),
                                                executor.executorId(),
                                                order.blockId(),
                                                made,
                                                StorageLevel.DISK_ONLY(),
                                                ClassTag$.MODULE$.apply(byte[].class));
                            },
                            senders)
                    .thenCompose(FutureConverters::asJava);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // there is no thread for it
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
