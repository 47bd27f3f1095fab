/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.DaemonThreads;
import io.paritas.spark.job.Interrupt;
import io.paritas.spark.job.LocalBlocks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ByteBufferBlockData;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Units as blocks of Spark's block managers: serialised, in memory, on disk where memory is short. Thread-safe. */
final class UnitStore {
    private static final Logger LOG = LoggerFactory.getLogger(UnitStore.class);
    private static final StorageLevel LEVEL = StorageLevel.MEMORY_AND_DISK_SER();
    private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);
    /** Blocks in one question to the driver. */
    private static final int LOCATIONS = 10_000;

    /** How often to ask executors to remove units. */
    private static final int REMOVALS = 5;

    /** Time for another executor to store a unit, besides that for its bytes. A frozen executor never does. */
    private static final long PUT_SECONDS = 20;

    private static final long PUT_BYTES_PER_SECOND = 5_000_000;

    private static final ExecutorService FETCHES =
            Executors.newCachedThreadPool(DaemonThreads.numbered("paritas-fetch"));

    private final Executor fetches;
    private final BlockManager manager = SparkEnv.get().blockManager();
    private final long longestInMemory =
            (long) manager.conf().get(package$.MODULE$.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM());

    UnitStore() {
        this(FETCHES);
    }

    /** @param fetches runs fetches, for tests */
    UnitStore(Executor fetches) {
        this.fetches = fetches;
    }

    BlockManagerId here() {
        return manager.blockManagerId();
    }

    /** This executor and all others that keep blocks. */
    List<BlockManagerId> executors() {
        List<BlockManagerId> executors = new ArrayList<>(List.of(here()));
        executors.addAll(ApplicationExecutors.among(
                CollectionConverters.asJava(manager.master().getPeers(here()))));
        return executors;
    }

    /** How many blocks of an RDD this executor has. */
    int count(int rdd) {
        return manager.blockInfoManager()
                .entries()
                .count(entry -> entry._1() instanceof RDDBlockId block && block.rddId() == rdd);
    }

    /** The executors that have each of the blocks, as far as the driver knows. */
    List<List<BlockManagerId>> locations(BlockId... blocks) {
        List<List<BlockManagerId>> locations = new ArrayList<>();
        for (int from = 0; from < blocks.length; from += LOCATIONS) {
            BlockId[] some = Arrays.copyOfRange(blocks, from, Math.min(blocks.length, from + LOCATIONS));
            IndexedSeq<scala.collection.immutable.Seq<BlockManagerId>> found =
                    manager.master().getLocations(some);
            CollectionConverters.asJava(found).forEach(who -> locations.add(CollectionConverters.asJava(who)));
        }
        return locations;
    }

    /**
     * Reads a block of this executor, which stays until the bytes are closed. Call this, and close, on a task's own thread. Bytes in
     * memory are the block's own: never write them.
     *
     * @return empty if the block is not there; one that the disk does not give any more is dropped
     */
    Optional<UnitBytes> local(BlockId block) {
        Optional<BlockData> data = LocalBlocks.read(manager, block);
        try {
            return data.map(bytes -> borrow(block, bytes));
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (Interrupt.caused(e)) {
                throw e;
            }
            LocalBlocks.drop(manager, block, e);
            return Optional.empty();
        }
    }

    private UnitBytes borrow(BlockId block, BlockData data) {
        Option<TaskContext> task = Option.apply(TaskContext.get());
        Runnable release = () -> manager.releaseLockAndDispose(block, data, task);
        ChunkedByteBuffer bytes = null;
        try {
            bytes = data instanceof ByteBufferBlockData memory
                    ? memory.buffer()
                    : data.toChunkedByteBuffer(size -> ByteBuffer.allocate((Integer) size));
        } finally {
            if (bytes == null) {
                release.run();
            }
        }
        return UnitBytes.borrowed(bytes, release);
    }

    /**
     * Fetches a block from the first executor that has it as it was stored; otherwise as the last one has it, if all could be asked: one
     * that could not may have it right. A caller may stop waiting: only a thread stays busy.
     *
     * @param who one or more executors, asked in this order
     */
    CompletableFuture<UnitBytes> fetch(BlockId block, StoredUnit unit, List<BlockManagerId> who) {
        try {
            return CompletableFuture.supplyAsync(() -> fetchNow(block, unit, who), fetches);
        } catch (OutOfMemoryError e) { // the system has no thread left: the unit can be decoded
            return CompletableFuture.failedFuture(e);
        }
    }

    private UnitBytes fetchNow(BlockId block, StoredUnit unit, List<BlockManagerId> who) {
        Exception unreachable = null;
        UnitBytes last = null;
        for (BlockManagerId from : who) {
            try {
                last = fetchNow(block, unit, from);
                if (last.is(unit)) {
                    return last;
                }
            } catch (Exception e) { // Spark throws checked ones that it does not declare.
                LOG.info("{} cannot be fetched from {}: {}", block, from, e.getMessage());
                unreachable = e;
            }
        }
        if (unreachable != null) {
            throw new IllegalStateException(
                    "no executor of " + who + " has it right: " + unreachable.getMessage(), unreachable);
        }
        return last;
    }

    private UnitBytes fetchNow(BlockId block, StoredUnit unit, BlockManagerId from) {
        ManagedBuffer fetched = manager.blockTransferService()
                .fetchBlockSync(from.host(), from.port(), from.executorId(), block.name(), downloads(unit));
        return UnitBytes.of(ChunkedByteBuffer.fromManagedBuffer(fetched));
    }

    /** As in Spark, long blocks come through files; null for others. */
    private DownloadFileManager downloads(StoredUnit unit) {
        boolean isLong = unit.length() > longestInMemory;
        return isLong ? manager.remoteBlockTempFileManager() : null;
    }

    /** Whether a task reads a block of this executor now: {@link #remove} waits for it. */
    boolean isRead(BlockId block) {
        return LocalBlocks.isRead(manager, block);
    }

    /** Whether this executor has a block. */
    boolean has(BlockId block) {
        return manager.getStatus(block).isDefined();
    }

    /**
     * Stores a block on this executor, unless it is there already.
     *
     * @throws IllegalStateException if that fails, as where the disk is full
     */
    void put(BlockId block, ChunkedByteBuffer bytes) {
        try {
            manager.putBytes(block, bytes, LEVEL, true, BYTES);
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            throw refused(block, here(), e);
        }
    }

    private static IllegalStateException refused(BlockId block, BlockManagerId on, Exception reason) {
        return new IllegalStateException(block + " cannot be stored on " + on + ": " + why(reason), reason);
    }

    /**
     * Stores a block on an executor.
     *
     * @throws IllegalStateException if the executor refuses it or is late
     */
    void put(BlockId block, ChunkedByteBuffer bytes, BlockManagerId on) {
        if (on.equals(here())) {
            put(block, bytes);
            return;
        }
        long seconds = PUT_SECONDS + bytes.size() / PUT_BYTES_PER_SECOND;
        try {
            Await.result(
                    manager.blockTransferService()
                            .uploadBlock(
                                    on.host(),
                                    on.port(),
                                    on.executorId(),
                                    block,
                                    new NioManagedBuffer(bytes.toByteBuffer()),
                                    LEVEL,
                                    BYTES),
                    Duration.apply(seconds, TimeUnit.SECONDS));
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            throw refused(block, on, e);
        }
    }

    /** Removes a block of this executor, if it is there, once no task reads it. */
    void remove(BlockId block) {
        if (has(block)) {
            manager.removeBlock(block, true);
        }
    }

    /** Removes all blocks of an RDD everywhere, and waits for that. On the driver. */
    void removeAll(int rdd) {
        try {
            askToRemove("RDD " + rdd, () -> manager.master().removeRdd(rdd, true));
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            throw new IllegalStateException(
                    "all blocks of RDD " + rdd
                            + " must be dropped before its rows are computed again, but they are not: "
                            + why(e) + "; persist them again",
                    e);
        }
    }

    /**
     * Has executors remove all units of some rows. One fails half way if a unit that it removes is stored or moved at the same time; then
     * it is asked again. One that does not answer is not, and a thread that is interrupted asks nobody again.
     *
     * @param rows their name
     * @param removal asks all executors
     */
    static void askToRemove(String rows, Runnable removal) {
        for (int attempt = 1; true; attempt++) {
            try {
                removal.run();
                return;
            } catch (Exception e) { // Spark throws checked ones that it does not declare.
                if (Interrupt.caused(e) || isTimeout(e) || attempt == REMOVALS) {
                    throw e;
                }
                LOG.info("{} cannot be dropped yet: {}", rows, e.getMessage());
            }
        }
    }

    private static String why(Exception failure) {
        return Interrupt.caused(failure) ? "the thread was interrupted" : failure.getMessage();
    }

    /** Whether an executor has not answered. */
    static boolean isTimeout(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(TimeoutException.class::isInstance);
    }

    /** Removes a block everywhere: from this executor at once, from others soon. */
    void removeEverywhere(BlockId block) {
        remove(block);
        manager.master().removeBlock(block);
    }
}
