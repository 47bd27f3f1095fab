/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reducer's client, which decodes blocks that cannot be fetched: those of lost executors at once, others when Spark's client has
 * failed, and those that the reducer asks for again, because it does so when they are damaged. If a block cannot be decoded either,
 * the reducer gets the first failure, and Spark does what it does without us.
 */
final class DecodingClient extends BlockStoreClient {
    private static final Logger LOG = LoggerFactory.getLogger(DecodingClient.class);

    private final BlockStoreClient client;
    private final ShuffleExecutor executor;
    /** Blocks that were fetched. */
    private final Set<String> fetched = ConcurrentHashMap.newKeySet();

    DecodingClient(BlockStoreClient client, ShuffleExecutor executor) {
        this.client = client;
        this.executor = executor;
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String executorId,
            String[] ids,
            BlockFetchingListener listener,
            DownloadFileManager downloads) {
        List<String> wanted = new ArrayList<>();
        for (String id : ids) {
            if (LostLocation.is(executorId)) {
                decode(id, listener, new IOException("the executor of " + id + " is lost"));
            } else if (fetched.contains(id)) {
                decode(id, listener, new IOException(id + " was damaged"));
            } else {
                wanted.add(id);
            }
        }
        if (!wanted.isEmpty()) {
            client.fetchBlocks(
                    host, port, executorId, wanted.toArray(String[]::new), new Decoding(listener), downloads);
        }
    }

    private final class Decoding implements BlockFetchingListener {
        private final BlockFetchingListener listener;

        Decoding(BlockFetchingListener listener) {
            this.listener = listener;
        }

        @Override
        public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {
            fetched.add(id);
            listener.onBlockFetchSuccess(id, bytes);
        }

        @Override
        public void onBlockFetchFailure(String id, Throwable failure) {
            decode(id, listener, failure);
        }
    }

    private void decode(String id, BlockFetchingListener listener, Throwable failure) {
        var unused = start(id).whenComplete((bytes, cause) -> {
            if (cause == null) {
                listener.onBlockFetchSuccess(id, new NioManagedBuffer(bytes));
            } else {
                Throwable reason = cause instanceof CompletionException ? cause.getCause() : cause;
                LOG.info(
                        "{} can be neither fetched ({}) nor decoded ({})",
                        id,
                        failure.getMessage(),
                        reason.getMessage());
                failure.addSuppressed(reason);
                listener.onBlockFetchFailure(id, failure);
            }
        });
    }

    private CompletableFuture<ByteBuffer> start(String name) {
        BlockId id = BlockId.apply(name);
        if (id instanceof ShuffleBlockId block) {
            return executor.decode(block.shuffleId(), block.mapId(), block.reduceId(), block.reduceId() + 1);
        }
        if (id instanceof ShuffleBlockBatchId range) {
            return executor.decode(range.shuffleId(), range.mapId(), range.startReduceId(), range.endReduceId());
        }
        return CompletableFuture.failedFuture(new IOException(name + " is no block of a map output"));
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
