/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.StoredInput;
import io.paritas.inference.StoredRows;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.protect.CorruptionException;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.protect.ProtectionCounts;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Runs a model for one task, on another thread: native code cannot be interrupted, and a killed task must end at once.
 * A prediction that still runs then keeps its buffers, as does one that nobody waits for any more. It is closed by the end of the task
 * at the latest: a task may read many partitions, and is to keep nothing of those before. For the task's thread only.
 */
final class Inference implements AutoCloseable {
    private final TaskContext task;
    private final Metrics metrics;
    private final String name;
    private final String poolName;
    private final int fold;
    private final double agreement;
    private final Model model;
    private final ByteBuffer[] inputs = new ByteBuffer[2];
    private final ByteBuffer[] outputs = new ByteBuffer[2];
    private final List<Future<Result>> users = new ArrayList<>(Collections.nCopies(2, null));
    private int turn;
    private final List<Future<Result>> started = new ArrayList<>();

    /**
     * The values of a prediction, its time and the findings of its checks. Metrics are not thread-safe, so the task's
     * thread adds them.
     *
     * @param corruption the error if values stayed wrong; empty if they are right
     */
    record Result(float[] values, long nanos, ProtectionCounts found, Optional<CorruptionException> corruption) {}

    /** The inputs of a prediction. */
    @FunctionalInterface
    interface Rows {
        /** Writes them as the model reads them. */
        void scaleInto(FloatBuffer room);

        /** As they are stored; empty if they are float32. */
        default Optional<StoredRows> stored() {
            return Optional.empty();
        }
    }

    /** A computation of outputs, on another thread, and its inputs as the model reads them; empty if the model scales them itself. */
    private record Computation(Consumer<FloatBuffer> into, Optional<FloatBuffer> inputs) {}

    /** Leases a model; loads it if necessary. */
    Inference(ModelSource source, TaskContext task, Metrics metrics) {
        this(source, () -> source.acquire(task), task, metrics);
    }

    /** @param lease leases the model from the source, but in tests */
    Inference(ModelSource source, Supplier<Model> lease, TaskContext task, Metrics metrics) {
        this.task = task;
        this.metrics = metrics;
        this.name = source.name();
        this.poolName = source.poolName();
        this.fold = source.fold();
        this.agreement = source.agreement();
        long start = System.nanoTime();
        this.model = load(lease);
        metrics.add(Metric.MODEL_LOAD_TIME, System.nanoTime() - start);
        task.addTaskCompletionListener((TaskCompletionListener) context -> close());
    }

    private Model load(Supplier<Model> lease) {
        CompletableFuture<Model> loading = CompletableFuture.supplyAsync(lease, ExecutorSide.engine());
        try {
            return await(loading);
        } catch (RuntimeException e) {
            var unused = loading.thenAccept(Model::close); // this task no longer waits: nobody else would end the lease
            throw e;
        }
    }

    /** Number of values of a prediction. */
    int size() {
        return model.output().size();
    }

    /**
     * Starts a prediction.
     *
     * @param rows number of rows, at least 1
     * @param given their inputs, which may change after this returns
     * @return the prediction, for {@link #finish}
     */
    Future<Result> start(int rows, Rows given) {
        turn = 1 - turn;
        Future<Result> user = users.get(turn);
        if (user != null && !user.isDone()) {
            inputs[turn] = null;
            outputs[turn] = null;
        }
        Computation computation = computation(rows, given);
        FloatBuffer out = floats(outputs, rows, size());
        started.removeIf(Future::isDone);
        Future<Result> prediction = ExecutorSide.engine().submit(predict(rows, computation, out));
        started.add(prediction);
        users.set(turn, prediction);
        return prediction;
    }

    /** Rows that may be screened are scaled here. */
    private Computation computation(int rows, Rows given) {
        Screens screens = Screens.current();
        boolean screened = screens.sampler().isOn() || screens.stacks().isOn();
        Optional<StoredInput> scaling = screened ? Optional.empty() : model.storedInput();
        return scaling.flatMap(takes -> given.stored().map(stored -> ofStored(takes, stored)))
                .orElseGet(() -> ofScaled(rows, given));
    }

    private Computation ofStored(StoredInput takes, StoredRows stored) {
        ByteBuffer room =
                room(inputs, stored.rows(), stored.size(), stored.type().bytes());
        StoredRows copy = stored.copiedInto(room);
        return new Computation(out -> takes.predict(copy, out), Optional.empty());
    }

    private Computation ofScaled(int rows, Rows given) {
        FloatBuffer in = floats(inputs, rows, model.input().size());
        given.scaleInto(in);
        in.flip();
        return new Computation(out -> model.predict(rows, in, out), Optional.of(in));
    }

    /** A task has only the engine threads that it was given; on a GPU, a batch is sent while the one before is computed. */
    private Callable<Result> predict(int rows, Computation computation, FloatBuffer out) {
        if (model.device() == Device.CUDA) {
            return () -> predicted(rows, computation, out);
        }
        return () -> {
            synchronized (model) {
                return predicted(rows, computation, out);
            }
        };
    }

    private Result predicted(int rows, Computation computation, FloatBuffer out) {
        try (LayerFindings found = LayerFindings.open()) {
            long start = System.nanoTime();
            Optional<CorruptionException> corruption = Optional.empty();
            try {
                computation.into.accept(out);
            } catch (CorruptionException e) { // its findings count too
                corruption = Optional.of(e);
            }
            long nanos = System.nanoTime() - start;
            float[] values = new float[rows * size()];
            if (corruption.isEmpty()) {
                out.flip().get(values);
                computation.inputs.ifPresent(in -> screen(rows, in, values));
            }
            Screens.current().layers().checked(poolName, rows, found);
            return new Result(values, nanos, found.counts(), corruption);
        }
    }

    private void screen(int rows, FloatBuffer in, float[] values) {
        Screens screens = Screens.current();
        screens.sampler().offer(poolName, fold, rows, in, values);
        if (agreement < Double.POSITIVE_INFINITY && model instanceof FoldedModel folded) {
            screens.stacks().offer(poolName, folded, agreement, rows, in, values);
        }
    }

    private FloatBuffer floats(ByteBuffer[] buffers, int rows, int size) {
        return room(buffers, rows, size, Float.BYTES).asFloatBuffer();
    }

    private ByteBuffer room(ByteBuffer[] buffers, int rows, int size, int bytes) {
        try {
            int needed = Math.multiplyExact(Math.multiplyExact(rows, size), bytes);
            if (buffers[turn] == null || buffers[turn].capacity() < needed) {
                buffers[turn] = ByteBuffer.allocateDirect(needed).order(ByteOrder.nativeOrder());
            }
            return buffers[turn].clear();
        } catch (ArithmeticException | OutOfMemoryError e) {
            // Off-heap memory is short; the heap is sound. As a cause, the error would have Spark end the executor.
            throw new ModelException("the model " + name + " cannot be given " + rows + " rows at once, " + size
                    + " values each: there is no room for them beside the heap (" + e.getMessage()
                    + "): predict fewer with the option batchRows, or raise spark.executor.memory");
        }
    }

    /** Waits for a prediction and returns its values; stops waiting if the task is killed. */
    float[] finish(Future<Result> prediction) {
        Result result = await(prediction);
        metrics.add(Metric.INFERENCE_TIME, result.nanos);
        metrics.add(Metric.CHECKS, result.found.checks());
        metrics.add(Metric.DETECTIONS, result.found.detections());
        metrics.add(Metric.RECOMPUTATIONS, result.found.recomputations());
        result.corruption.ifPresent(corruption -> {
            throw new ModelException(
                    "the model " + name + " failed on executor "
                            + SparkEnv.get().executorId() + ": " + corruption.getMessage(),
                    corruption);
        });
        return result.values;
    }

    private <T> T await(Future<T> result) {
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            task.killTaskIfInterrupted();
            throw new IllegalStateException("the task was interrupted while its model was running", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            if (e.getCause() instanceof ModelException failure) {
                throw new ModelException("the model " + name + " failed: " + failure.getMessage(), failure);
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(
                    "the model " + name + " cannot be used: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** Ends the lease, and forgets the buffers. If a prediction still runs, another thread ends it, because the pool may wait for it. */
    @Override
    public void close() {
        started.removeIf(Future::isDone);
        if (started.isEmpty()) {
            model.close();
        } else {
            closeElsewhere();
        }
        Arrays.fill(inputs, null);
        Arrays.fill(outputs, null);
        Collections.fill(users, null);
        started.clear();
    }

    private void closeElsewhere() {
        try {
            ExecutorSide.engine().execute(model::close);
        } catch (ModelException e) { // there is no thread: this one waits
            model.close();
        }
    }
}
