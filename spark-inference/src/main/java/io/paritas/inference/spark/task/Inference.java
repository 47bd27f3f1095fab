/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Model;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.nio.FloatBuffer;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.spark.TaskContext;

/**
 * A model that works for one task, on another thread: native code cannot be interrupted, and a task that is killed must end
 * at once. A prediction that is still running then is left alone, with its buffers. At most two predictions may be
 * unfinished. Used by the task's thread only.
 */
final class Inference implements AutoCloseable {
    private final TaskContext task;
    private final Metrics metrics;
    private final Model model;
    private final FloatBuffer[] inputs = new FloatBuffer[2];
    private final FloatBuffer[] outputs = new FloatBuffer[2];
    private int turn;

    /** Leases a model, which may have to be loaded. */
    Inference(ModelSource source, TaskContext task, Metrics metrics) {
        this.task = task;
        this.metrics = metrics;
        long start = System.nanoTime();
        this.model = await(ExecutorSide.engine().submit(() -> source.acquire(task)));
        metrics.add(Metric.MODEL_LOAD_TIME, System.nanoTime() - start);
    }

    /** Values of a prediction. */
    int size() {
        return model.output().size();
    }

    /**
     * Starts a prediction.
     *
     * @param rows at least 1
     * @param fill writes the inputs, as the model takes them
     * @return what to {@link #await}: the outputs of all rows
     */
    Future<float[]> start(int rows, Consumer<FloatBuffer> fill) {
        turn = 1 - turn;
        FloatBuffer in = room(inputs, rows * model.input().size());
        FloatBuffer out = room(outputs, rows * size());
        fill.accept(in);
        in.flip();
        return ExecutorSide.engine().submit(predict(rows, in, out));
    }

    private Callable<float[]> predict(int rows, FloatBuffer in, FloatBuffer out) {
        return () -> {
            long start = System.nanoTime();
            model.predict(rows, in, out);
            metrics.add(Metric.INFERENCE_TIME, System.nanoTime() - start);
            float[] values = new float[rows * size()];
            out.flip().get(values);
            return values;
        };
    }

    private FloatBuffer room(FloatBuffer[] buffers, int values) {
        if (buffers[turn] == null || buffers[turn].capacity() < values) {
            buffers[turn] = Model.direct(values);
        }
        return buffers[turn].clear();
    }

    /** Waits for a result, or until the task is killed. */
    <T> T await(Future<T> result) {
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
            throw (RuntimeException) e.getCause();
        }
    }

    @Override
    public void close() {
        model.close();
    }
}
