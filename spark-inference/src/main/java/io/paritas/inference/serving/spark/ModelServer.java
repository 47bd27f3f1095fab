/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.DeviceLostException;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.SpareBuffers;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.serving.trace.TraceSpan;
import io.paritas.inference.serving.trace.Traces;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;

/** Answers batches with a model, one after the other, on its own thread: native code must not hold Spark's. */
final class ModelServer extends RpcHandler implements AutoCloseable {
    private final Model model;
    private final String poolName;
    private final Map<Key, Boolean> waiting = new ConcurrentHashMap<>();
    private final SpareBuffers inputBuffers = new SpareBuffers();
    private final SpareBuffers outputBuffers = new SpareBuffers();
    private final OneForOneStreamManager streams = new OneForOneStreamManager();
    private final ExecutorService thread;
    private final Traces traces;
    private final CompletableFuture<Void> lost = new CompletableFuture<>();

    /* A front end numbers its batches, so numbers are unique within a connection. */
    private record Key(TransportClient client, long batch) {}

    /**
     * Starts the thread of an instance.
     *
     * @param poolName of the model, as {@link io.paritas.inference.ModelPool#name} names it
     * @param name of the instance
     */
    ModelServer(Model model, String poolName, String name, Traces traces) {
        this.model = model;
        this.poolName = poolName;
        this.traces = traces;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread daemon = new Thread(task, "paritas-instance-" + name);
            daemon.setDaemon(true);
            return daemon;
        });
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        if (Wire.kind(message) != Wire.PREDICT) {
            throw new IllegalArgumentException(
                    "messages to an instance must be PREDICT or CANCEL, got kind " + Wire.kind(message));
        }
        int rows = Wire.rows(message, model.input());
        Key key = new Key(client, Wire.batch(message));
        try {
            FloatBuffer inputs = inputBuffers.take(rows * model.input().size());
            Wire.inputs(message, inputs); // the message is gone when this returns
            predictLater(key, rows, inputs.flip(), Wire.traceparent(message), callback);
        } catch (OutOfMemoryError e) { // from here it would end the connection, and with it all batches of others
            waiting.remove(key);
            callback.onFailure(new ModelException(
                    "there is no room beside the heap, or no thread, for a batch of " + rows + " rows ("
                            + e.getMessage() + "): lower spark.paritas.serving.batch, or raise spark.executor.memory",
                    e));
        }
    }

    private void predictLater(Key key, int rows, FloatBuffer inputs, String traceparent, RpcResponseCallback callback) {
        waiting.put(key, true);
        thread.execute(() -> {
            if (waiting.remove(key) == null) {
                inputBuffers.giveBack(inputs);
                callback.onFailure(new IllegalStateException("the batch was cancelled"));
            } else {
                predict(rows, inputs, traceparent, callback);
            }
        });
    }

    private void predict(int rows, FloatBuffer inputs, String traceparent, RpcResponseCallback callback) {
        TraceSpan span = traceparent.isEmpty()
                ? TraceSpan.OFF
                : traces.begin("predict", name -> name.equals(Traces.TRACEPARENT) ? traceparent : null)
                        .with("paritas.rows", rows)
                        .with("paritas.device", model.device().toString());
        try {
            FloatBuffer outputs = outputBuffers.take(rows * model.output().size());
            checked(rows, inputs, outputs);
            span.end(System.nanoTime());
            ByteBuffer answer = Wire.answer(rows, outputs.flip());
            inputBuffers.giveBack(inputs);
            outputBuffers.giveBack(outputs);
            callback.onSuccess(answer);
        } catch (RuntimeException | Error e) { // or nobody would answer; the next batch may be better
            span.fail(String.valueOf(e.getMessage()), System.nanoTime());
            callback.onFailure(e);
            if (DeviceLostException.isCauseOf(e)) {
                lost.completeExceptionally(e);
            }
        }
    }

    /** Tells the screening of this executor what the checks of a protected model find, also where the batch fails of it. */
    private void checked(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        try (LayerFindings found = LayerFindings.open()) {
            try {
                model.predict(rows, inputs, outputs);
            } finally {
                Screens.current().layers().checked(poolName, rows, found);
            }
        }
    }

    /** Fails with the reason if the model's device is lost: no later batch will be answered. */
    CompletableFuture<Void> lost() {
        return lost;
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message) {
        if (Wire.kind(message) == Wire.CANCEL) {
            waiting.remove(new Key(client, Wire.batch(message)));
        }
    }

    @Override
    public void channelInactive(TransportClient client) {
        waiting.keySet().removeIf(key -> key.client.equals(client));
    }

    @Override
    public StreamManager getStreamManager() {
        return streams;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
