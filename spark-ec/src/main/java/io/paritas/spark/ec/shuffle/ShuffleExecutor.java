/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.job.DaemonThreads;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.TaskCompletionListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** An executor's part: it codes in the background, and decodes blocks for its reducers. Thread-safe. */
final class ShuffleExecutor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleExecutor.class);

    private static final int DECODERS = 4;

    /** How long a group is known before the driver is asked again: a reducer asks for many blocks of one output. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How soon an executor that is to leave asks again whether it may. It then waits twice as long each time. */
    private static final long PARTING_MILLIS = 100;

    private static final long MOST_PARTING_MILLIS = 2_000;

    /** No executor. */
    private static final String NOBODY = "";

    /** Of this JVM, or null. */
    private static volatile ShuffleExecutor current;

    private final PluginContext driver;
    private final GroupFiles files;
    private final BackgroundCoder background;
    private final FetchTimes fetchTimes;
    private final TransportConf transport;
    private final ExecutorService decoders = ShuffleCoding.daemons(DECODERS, "paritas-shuffle-decode");
    private final ScheduledThreadPoolExecutor hedges =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("paritas-shuffle-hedge"));
    private final Map<MapOutput, Known> groups = new ConcurrentHashMap<>();
    private final Map<Long, TaskReads> tasks = new ConcurrentHashMap<>();

    private record MapOutput(int shuffle, long map) {
        static MapOutput of(MapOutputRange range) {
            return new MapOutput(range.shuffle(), range.map());
        }
    }

    private record Known(Group group, long nanos) {
        boolean isOld() {
            return System.nanoTime() - nanos > KNOWN_NANOS;
        }
    }

    /** @param driver to which messages are sent */
    ShuffleExecutor(ShuffleSettings settings, PluginContext driver) {
        this(settings, driver, ShuffleExecutor::ask);
    }

    ShuffleExecutor(ShuffleSettings settings, PluginContext driver, GroupFiles.Network network) {
        this.driver = driver;
        this.files = new GroupFiles(network, settings.fetchTimeout(), longest(settings));
        this.fetchTimes = new FetchTimes(settings.hedgeAfter(), settings.patience());
        this.transport = SparkTransportConf.fromSparkConf(driver.conf(), "shuffle", 0, Option.empty(), Option.empty());
        this.background = new BackgroundCoder(files.impatient(), settings.bytesPerSecond(), driver);
        hedges.setRemoveOnCancelPolicy(true);
    }

    /** As long as plain Spark waits for an executor. */
    private static Duration longest(ShuffleSettings settings) {
        Duration network = settings.networkTimeout();
        return network.compareTo(settings.fetchTimeout()) > 0 ? network : settings.fetchTimeout();
    }

    static Optional<ShuffleExecutor> current() {
        return Optional.ofNullable(current);
    }

    static void start(ShuffleExecutor executor) {
        current = executor;
    }

    /** Tells the driver that orders can be carried out here. */
    void tellStarted(String id) {
        background.tellStarted(id);
    }

    private static CompletableFuture<ByteBuffer> ask(
            BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory) {
        BlockManager manager = SparkEnv.get().blockManager();
        return executor.equals(manager.blockManagerId())
                ? CompletableFuture.supplyAsync(
                        () -> copy(manager.getLocalBlockData(request.blockId()), memory), Runnable::run)
                : fetch(manager.blockTransferService(), executor, request, memory);
    }

    /** Asks another executor. */
    static CompletableFuture<ByteBuffer> fetch(
            BlockStoreClient client, BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory) {
        CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
        BlockFetchingListener listener = new BlockFetchingListener() {
            @Override
            public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {
                try {
                    answer.complete(copy(bytes, memory));
                } catch (RuntimeException | Error e) { // nobody else would tell who waits
                    answer.completeExceptionally(e);
                }
            }

            @Override
            public void onBlockFetchFailure(String id, Throwable reason) {
                answer.completeExceptionally(reason);
            }
        };
        String[] ids = {request.blockId().name()};
        Fetches.SHARED.begin(
                new Fetches.Address(executor.host(), executor.port()),
                ids,
                listener,
                () -> client.fetchBlocks(executor.host(), executor.port(), executor.executorId(), ids, listener, null));
        return answer;
    }

    /** Through a stream: what came in many pieces is not put together first. */
    private static ByteBuffer copy(ManagedBuffer bytes, IntFunction<ByteBuffer> memory) {
        try (InputStream in = bytes.createInputStream()) {
            ByteBuffer copy = memory.apply((int) bytes.size());
            if (in.readNBytes(copy.array(), 0, copy.limit()) < copy.limit()) {
                throw new EOFException("an answer must have " + copy.limit() + " bytes, it has fewer");
            }
            return copy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (OutOfMemoryError e) {
            // With the error as a cause, Spark ends the executor, and others may have what is read.
            throw new UncheckedIOException(new IOException(
                    "there must be memory for the " + bytes.size() + " bytes of an answer: " + e.getMessage()));
        }
    }

    BackgroundCoder background() {
        return background;
    }

    FetchTimes fetchTimes() {
        return fetchTimes;
    }

    /** Hedges a fetch after a while, unless it is cancelled. Where that cannot be, the fetch has no hedge. */
    Future<?> hedgeLater(Runnable hedge, long nanos) {
        try {
            return hedges.schedule(hedge, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("this executor ends, or has no thread left: a fetch has no hedge", e);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** How many fetches wait for their hedge. */
    int hedges() {
        return hedges.getQueue().size();
    }

    /** Where it is counted what a task decodes. */
    TaskReads reads(TaskContext task) {
        TaskReads known = tasks.get(task.taskAttemptId());
        if (known != null) {
            return known;
        }
        TaskReads reads = TaskReads.of(task, this::stageReads);
        tasks.put(task.taskAttemptId(), reads);
        task.addTaskCompletionListener((TaskCompletionListener) ended -> tasks.remove(ended.taskAttemptId()));
        return reads;
    }

    private byte[] stageReads(int stage) {
        try {
            return (byte[]) driver.ask(ShuffleMessage.STAGE_READS.of(stage, 0));
        } catch (Exception e) { // PluginContext declares no less.
            throw new IllegalStateException("the driver gives no accumulators for stage " + stage, e);
        }
    }

    /** Makes a block of a map output in memory, on another thread. */
    CompletableFuture<ByteBuffer> decode(BlockId block, TaskReads reads) {
        return decode(block, NOBODY, reads);
    }

    /**
     * Does the same for a reducer. It fails with a {@link StoredElsewhereException} if the reducer was told that the executor of the output
     * is lost, and another one has it.
     *
     * @param from the executor that has the output, or its {@link LostLocation}, as the reducer was told
     */
    CompletableFuture<ByteBuffer> decode(BlockId block, String from, TaskReads reads) {
        return decode(block, from, reads, (decoder, range) -> {
            ByteBuffer bytes = decoder.decode(range.from(), range.to());
            count(reads, bytes.remaining());
            return bytes;
        });
    }

    private static void count(TaskReads reads, long bytes) {
        reads.add(bytes);
        ShuffleTotals.DEGRADED_READS.increment();
        ShuffleTotals.DECODED_BYTES.add(bytes);
    }

    /** Does the same in a file, as long as it may be. */
    CompletableFuture<ManagedBuffer> decode(
            BlockId block, String from, TaskReads reads, DownloadFileManager downloads) {
        return decode(
                block,
                from,
                reads,
                (decoder, range) -> decoder.untilRight(() -> {
                    DownloadFile file = downloads.createTempFile(transport);
                    boolean kept = false;
                    try (DownloadFileWritableChannel out = file.openForWriting()) {
                        Contents contents = decoder.contents(range.from(), range.to());
                        decoder.decode(contents, out);
                        count(reads, contents.length());
                        ManagedBuffer bytes = out.closeAndRead();
                        if (!downloads.registerTempFileToClean(file)) {
                            throw new IOException("the reducer has ended");
                        }
                        kept = true;
                        return bytes;
                    } finally {
                        if (!kept) {
                            file.delete();
                        }
                    }
                }));
    }

    /** Decodes with a group's files. */
    @FunctionalInterface
    private interface Decoding<T> {
        T decode(BlockDecoder decoder, MapOutputRange range) throws IOException;
    }

    private static Unit own(Group group, long map) {
        return group.units().get(group.indexOf(map));
    }

    /** A task may have asked for very many blocks when it is killed: those fail, and keep no others waiting. */
    private <T> CompletableFuture<T> decode(BlockId block, String from, TaskReads reads, Decoding<T> how) {
        Supplier<T> decoding = () -> {
            try {
                if (reads.hasEnded()) {
                    throw new InterruptedIOException("nobody wants " + block + " any more");
                }
                MapOutputRange range = MapOutputRange.of(block)
                        .orElseThrow(() -> new IOException(block + " is no block of a map output"));
                return decodeNow(range, from, reads, how);
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        };
        try {
            return CompletableFuture.supplyAsync(decoding, decoders);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new InterruptedIOException(block + " is not decoded: this executor ends"));
        } catch (OutOfMemoryError e) {
            // No thread can start. Who waits for the block must hear of it; but with the error as a cause, Spark ends
            // the executor.
            return CompletableFuture.failedFuture(new IOException(block + " is not decoded: " + e.getMessage()));
        }
    }

    /**
     * With the group that is known; if that fails, once more with the group as it is then, if that is another one.
     *
     * @throws StoredElsewhereException if neither decodes, and the driver now says that an executor has the map output; or at once, if that
     *     is another one than the lost one that the reducer knows
     */
    private <T> T decodeNow(MapOutputRange range, String from, TaskReads reads, Decoding<T> how) throws IOException {
        MapOutput output = MapOutput.of(range);
        Group group = group(output);
        if (LostLocation.is(from)) {
            Unit own = own(group, output.map());
            if (own.there() && !LostLocation.of(own.at()).executorId().equals(from)) {
                throw new StoredElsewhereException(own.at());
            }
        }
        try {
            return how.decode(decoder(group, output, reads), range);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            Group now = askAgain(output, e);
            IOException failure = e;
            if (!now.equals(group)) {
                LOG.debug("the group of map output {} has changed", output.map(), e);
                try {
                    return how.decode(decoder(now, output, reads), range);
                } catch (IOException again) {
                    failure = again;
                }
            }
            Unit own = own(now, output.map());
            throw own.there() ? new StoredElsewhereException(own.at(), failure) : failure;
        }
    }

    /** Asks the driver; if it does not say, that is not why the output cannot be decoded. */
    private Group askAgain(MapOutput output, IOException failure) throws IOException {
        try {
            return ask(output);
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    private BlockDecoder decoder(Group group, MapOutput output, TaskReads reads) {
        GroupFiles own = files.until(reads::hasEnded);
        return new BlockDecoder(
                reads.isPatient() ? own : own.impatient(),
                group,
                output.map(),
                at -> fetchTimes.isLate(at.executorId()));
    }

    private Group group(MapOutput output) throws IOException {
        Known known = groups.get(output);
        return known == null || known.isOld() ? ask(output) : known.group();
    }

    private Group ask(MapOutput output) throws IOException {
        byte[] answer;
        try {
            answer = (byte[]) driver.ask(ShuffleMessage.GROUP.of(output.shuffle(), output.map()));
        } catch (Exception e) { // PluginContext declares no less.
            throw new IOException("the driver does not say how map output " + output.map() + " is coded", e);
        }
        if (answer == null || answer.length == 0) {
            throw new IOException("map output " + output.map() + " of shuffle " + output.shuffle() + " is not coded");
        }
        Group group = Group.of(answer);
        groups.values().removeIf(Known::isOld);
        groups.put(output, new Known(group, System.nanoTime()));
        return group;
    }

    /** Waits until others have taken over a file of this executor, which is to leave; what is left to do about it. */
    Departures.Parting parting(Object message) {
        try {
            for (long wait = PARTING_MILLIS; true; wait = Math.min(2 * wait, MOST_PARTING_MILLIS)) {
                Departures.Parting answer = Departures.Parting.valueOf((String) driver.ask(message));
                if (answer != Departures.Parting.WAIT) {
                    return answer;
                }
                TimeUnit.MILLISECONDS.sleep(wait);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // PluginContext declares no less.
            LOG.info("the driver does not say who takes over from this executor: {}", e.getMessage());
        }
        return Departures.Parting.COPY;
    }

    @Override
    public void close() {
        current = null;
        background.close();
        hedges.shutdownNow();
        decoders.shutdownNow();
    }
}
