/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.checkpoint.PartWriter;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * Writes the file of one server of a checkpoint, on a thread of its own. Reads the state in parts on the thread of the
 * server.
 */
final class PartSaver {
    private final Save request;
    private final Configuration hadoop;
    private final ModelSpec model;
    private final int number;
    private final ShardServer server;
    private final EventLoop loop;
    private volatile String failure;

    /**
     * Begins to write.
     *
     * @param hadoop gives the file system
     * @param number of the server
     */
    PartSaver(Save request, Configuration hadoop, ModelSpec model, int number, ShardServer server, EventLoop loop) {
        this(request, hadoop, model, number, server, loop, task -> new Thread(task, "paritas-checkpoint-" + number));
    }

    /** @param threads makes the thread, for tests */
    PartSaver(
            Save request,
            Configuration hadoop,
            ModelSpec model,
            int number,
            ShardServer server,
            EventLoop loop,
            ThreadFactory threads) {
        this.request = request;
        this.hadoop = hadoop;
        this.model = model;
        this.number = number;
        this.server = server;
        this.loop = loop;
        Thread thread = threads.newThread(this::write);
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // the system has no thread left: the checkpoint fails, and the server is sound
            failure = String.valueOf(e);
        }
    }

    /** Whether this writes what another request asks for. */
    boolean isOf(Save other) {
        return request.equals(other);
    }

    /** Whether this writes a newer checkpoint than another request asks for: their numbers grow, also from folder to folder. */
    boolean isAfter(Save other) {
        return request.number() > other.number();
    }

    /** Returns why the file was not written; empty if it was, null while it is being written. */
    String failure() {
        return failure;
    }

    private void write() {
        try {
            if (read(ShardServer::hasLost)) {
                throw new IOException("server " + number
                        + " has lost rows or blocks for good, so a checkpoint would be incomplete: restore the last"
                        + " checkpoint");
            }
            CheckpointFolder folder = new CheckpointFolder(request.folder(), hadoop);
            PartWriter.write(folder, request.number(), model, number, new PartWriter.Snapshot() {
                @Override
                public int[][] rows(int table, long firstSlot, int count) throws IOException, InterruptedException {
                    return read(held -> held.shard(table).rows(firstSlot, count));
                }

                @Override
                public Block block(int block) throws IOException, InterruptedException {
                    return read(held -> held.block(block));
                }
            });
            failure = "";
        } catch (IOException | RuntimeException | Error e) {
            // Nobody else hears of an error here, and Spark would end the executor.
            failure = String.valueOf(e);
        } catch (InterruptedException e) {
            failure = "interrupted";
        }
    }

    /** Reads on the thread of the server. */
    <T> T read(Function<ShardServer, T> part) throws IOException, InterruptedException {
        CompletableFuture<T> future = loop.ask(answer -> {
            try {
                if (!server.isHeld()) {
                    throw new IOException("updates have resumed");
                }
                answer.complete(part.apply(server));
            } catch (IOException | OutOfMemoryError e) { // the checkpoint fails, and the server is sound
                answer.completeExceptionally(e);
            }
        });
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException(
                    "server " + number + " could not write: " + e.getCause().getMessage(), e);
        }
    }
}
