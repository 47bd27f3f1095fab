/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A reducer's client, which decodes blocks that cannot be fetched: those of lost executors unless their output has been stored again,
 * others when Spark's client has failed or is late. What comes first counts. A block that cannot be decoded is fetched from where its
 * output is meanwhile. If that fails, too, the reducer gets what Spark's client gets, and Spark does what it does without us.
 */
final class DecodingClient extends BlockStoreClient {
    private static final Logger LOG = LoggerFactory.getLogger(DecodingClient.class);

    private final BlockStoreClient client;
    private final ShuffleExecutor executor;
    private final TaskReads reads;

    /** @param reads counts what is decoded */
    DecodingClient(BlockStoreClient client, ShuffleExecutor executor, TaskReads reads) {
        this.client = client;
        this.executor = executor;
        this.reads = reads;
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String executorId,
            String[] ids,
            BlockFetchingListener listener,
            DownloadFileManager downloads) {
        if (LostLocation.is(executorId)) {
            for (String id : ids) {
                IOException failure = new IOException("the executor of " + id + " is lost");
                decodeOrFind(id, executorId, failure, listener, downloads, reads);
            }
            return;
        }
        Hedged hedged = new Hedged(executorId, List.of(ids), listener, downloads);
        hedged.decodeLate();
        Fetches.Address address = new Fetches.Address(host, port);
        Fetches.SHARED.begin(
                address, ids, hedged, () -> client.fetchBlocks(host, port, executorId, ids, hedged, downloads));
    }

    /** Blocks of an executor that are fetched, and decoded if they are late. */
    private final class Hedged implements BlockFetchingListener {
        private final String executorId;
        private final BlockFetchingListener listener;
        private final DownloadFileManager downloads;
        private final long began = System.nanoTime();
        private final long limit = executor.fetchTimes().nanosUntilLate();
        /** Blocks that the reducer has not got. */
        private final Set<String> open = ConcurrentHashMap.newKeySet();
        /** What decodes them when they are late; null if it was not ordered yet. */
        private volatile Future<?> hedging;
        /** Whether some of them were late. */
        private volatile boolean late;
        /** Whether a late one of them counts among the times. */
        private final AtomicBoolean counted = new AtomicBoolean();

        Hedged(String executorId, List<String> ids, BlockFetchingListener listener, DownloadFileManager downloads) {
            this.executorId = executorId;
            this.listener = listener;
            this.downloads = downloads;
            open.addAll(ids);
        }

        void decodeLate() {
            FetchTimes times = executor.fetchTimes();
            long wait = times.isLate(executorId) ? 0 : limit;
            hedging = executor.hedgeLater(
                    () -> {
                        List<String> missing = new ArrayList<>(open);
                        if (!missing.isEmpty()) {
                            late = true;
                            times.late(executorId);
                            LOG.info("{} blocks of executor {} are late: they are decoded", missing.size(), executorId);
                        }
                        missing.forEach(this::hedge);
                    },
                    wait);
        }

        /** Whether the reducer has not got a block yet; it gets it now. Nothing is late any more after the last one. */
        private boolean take(String id) {
            boolean first = open.remove(id);
            Future<?> later = hedging;
            if (later != null && open.isEmpty()) {
                later.cancel(false);
            }
            return first;
        }

        private void hedge(String id) {
            if (open.contains(id)) {
                TaskReads hedge = reads.unless(() -> !open.contains(id)).impatient();
                var unused = decode(id, executorId, downloads, hedge).whenComplete((bytes, cause) -> {
                    if (cause == null && take(id)) {
                        listener.onBlockFetchSuccess(id, bytes);
                    }
                });
            }
        }

        @Override
        public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {
            count(System.nanoTime() - began);
            if (take(id)) {
                listener.onBlockFetchSuccess(id, bytes);
            }
        }

        /** All late blocks of a request came at once, when their executor went on. */
        private void count(long took) {
            if (!late) {
                executor.fetchTimes().add(executorId, took);
            } else if (counted.compareAndSet(false, true)) {
                executor.fetchTimes().addLate(executorId, took, limit);
            }
        }

        @Override
        public void onBlockFetchFailure(String id, Throwable failure) {
            if (open.contains(id)) {
                TaskReads last = reads.unless(() -> !open.contains(id)); // the hedge may be first
                decodeOrFind(id, executorId, failure, new Last(), downloads, last);
            }
        }

        /** Hears what becomes of blocks for which nothing else is tried. */
        private final class Last implements BlockFetchingListener {
            @Override
            public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {
                if (take(id)) {
                    listener.onBlockFetchSuccess(id, bytes);
                }
            }

            @Override
            public void onBlockFetchFailure(String id, Throwable failure) {
                if (take(id)) {
                    listener.onBlockFetchFailure(id, failure);
                }
            }
        }
    }

    /**
     * Decodes a block; if that fails, fetches it from where the driver says that its output is, unless that was tried. That of a lost
     * executor is fetched first if its output has been stored again: executors keep for long what they were told of the loss.
     *
     * @param executorId from whom it cannot be fetched, because of the failure
     */
    private void decodeOrFind(
            String id,
            String executorId,
            Throwable failure,
            BlockFetchingListener listener,
            DownloadFileManager downloads,
            TaskReads how) {
        var unused = decode(id, executorId, downloads, how).whenComplete((bytes, cause) -> {
            if (cause == null) {
                listener.onBlockFetchSuccess(id, bytes);
                return;
            }
            Throwable reason = cause instanceof CompletionException ? cause.getCause() : cause;
            if (reason instanceof StoredElsewhereException again && !again.isTried()) {
                BlockManagerId now = again.at();
                fetchBlocks(now.host(), now.port(), now.executorId(), new String[] {id}, listener, downloads);
                return;
            }
            String trouble = id + " can be neither fetched (" + why(failure) + ") nor decoded (" + why(reason) + ")";
            LOG.atLevel(reads.hasEnded() ? Level.DEBUG : Level.INFO).log(trouble);
            LOG.debug("{} cannot be decoded", id, reason);
            if (reason instanceof StoredElsewhereException stored
                    && !stored.at().executorId().equals(executorId)
                    && !how.hasEnded()) {
                find(stored.at(), id, new Found(id, stored.at(), trouble, failure, listener), downloads);
            } else {
                listener.onBlockFetchFailure(id, lost(trouble, failure));
            }
        });
    }

    private void find(BlockManagerId at, String id, BlockFetchingListener found, DownloadFileManager downloads) {
        LOG.info("{} is fetched from executor {}, which has it meanwhile", id, at.executorId());
        String[] ids = {id};
        Fetches.SHARED.begin(
                new Fetches.Address(at.host(), at.port()),
                ids,
                found,
                () -> client.fetchBlocks(at.host(), at.port(), at.executorId(), ids, found, downloads));
    }

    /** Hears whether a block comes from the executor that has it meanwhile. */
    private record Found(
            String id, BlockManagerId at, String trouble, Throwable failure, BlockFetchingListener listener)
            implements BlockFetchingListener {
        @Override
        public void onBlockFetchSuccess(String same, ManagedBuffer bytes) {
            listener.onBlockFetchSuccess(id, bytes);
        }

        @Override
        public void onBlockFetchFailure(String same, Throwable again) {
            String next = ", nor fetched from executor " + at.executorId() + " (" + why(again) + ")";
            listener.onBlockFetchFailure(id, lost(trouble + next, failure));
        }
    }

    /**
     * What the reducer hears of a block that cannot be had. Spark's client fails all blocks of a request with the same Throwable, which
     * other threads log at this moment: nothing is added to that. Of errors, Spark looks at the class.
     */
    private static Throwable lost(String trouble, Throwable failure) {
        return failure instanceof Error ? failure : new IOException(trouble, failure);
    }

    /** A line: the message of what failed on another executor is all of its stack trace. */
    private static String why(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }

    private CompletableFuture<ManagedBuffer> decode(
            String id, String executorId, DownloadFileManager downloads, TaskReads how) {
        BlockId block = BlockId.apply(id);
        return downloads == null
                ? executor.decode(block, executorId, how).<ManagedBuffer>thenApply(NioManagedBuffer::new)
                : executor.decode(block, executorId, how, downloads);
    }

    @Override
    public Cause diagnoseCorruption(
            String host,
            int port,
            String executorId,
            int shuffle,
            long map,
            int partition,
            long checksum,
            String algorithm) {
        return client.diagnoseCorruption(host, port, executorId, shuffle, map, partition, checksum, algorithm);
    }

    /** Does nothing: the client is Spark's. */
    @Override
    public void close() {}
}
