/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.DeviceLostException;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelPool;
import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.Scaling;
import io.paritas.inference.spark.settings.OnError;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InferenceTest {
    private static final ExactModel SMALL = ExactModel.of(2, 1, 1);
    private static final int WIDE = 1500;
    private static final int MANY = 4000;
    private static final int ATTEMPTS = 50; // a prediction may be faster than the thread that kills its task

    private static final PredictedBatches.Inputs FORMAT =
            new PredictedBatches.Inputs(Element.FLOAT32, 1, Scaling.identity(2));

    private final TaskContextImpl task = Fixtures.task();
    private final Metrics metrics = Metrics.coded(Fixtures.spark());

    private Inference inference(ExactModel model) {
        return new Inference(Fixtures.source(model.file()), task, metrics);
    }

    private void kill() {
        task.markInterrupted("no longer needed");
        Thread.currentThread().interrupt();
    }

    @Test
    void aKilledTaskLeavesItsPredictionAlone() throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try (Inference inference = inference(ExactModel.of(WIDE, WIDE, 1))) {
                Future<Inference.Result> running = start(inference);
                Throwable end = killed(inference, running);
                if (!running.isDone()) {
                    assertThat(end).isInstanceOf(TaskKilledException.class);
                    return;
                }
            }
        }
        fail("no task was killed while its model predicted, in " + ATTEMPTS + " attempts");
    }

    /** Starts a prediction that takes some 100 ms. */
    private static Future<Inference.Result> start(Inference inference) {
        return inference.start(MANY, in -> in.put(new float[MANY * WIDE]));
    }

    /** Kills the task and returns what its wait for a prediction ended with; null if the prediction was faster. */
    private Throwable killed(Inference inference, Future<Inference.Result> running) {
        kill();
        try {
            return catchThrowable(() -> inference.finish(running));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aTaskKilledWhileItsModelIsLoadedKeepsNoLease() throws InterruptedException {
        ModelPool.shared().close();
        ModelPool pool = ModelPool.shared();
        ModelSource source = Fixtures.source(ExactModel.of(WIDE, WIDE, 2).file());
        kill();
        assertThatThrownBy(() -> new Inference(source, task, metrics)).isInstanceOf(TaskKilledException.class);
        assertThat(Thread.interrupted()).isTrue();
        awaitMetrics(pool, new ModelPool.Metrics(1, 0, 0));
        pool.close();
        awaitMetrics(pool, new ModelPool.Metrics(1, 0, 1));
    }

    @Test
    void theLeaseOfAKilledTaskEndsWithItsPrediction() throws Exception {
        ModelPool.shared().close();
        ModelPool pool = ModelPool.shared();
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Inference inference = inference(ExactModel.of(WIDE, WIDE, 3));
            Future<Inference.Result> running = start(inference);
            awaitPrediction(running);
            Throwable end = killed(inference, running);
            inference.close();
            if (!running.isDone()) { // nobody waited for it
                assertThat(end).isInstanceOf(TaskKilledException.class);
                pool.close();
                awaitMetrics(pool, new ModelPool.Metrics(1, attempt - 1, 1));
                assertThat(running.get().values()).hasSize(MANY * WIDE);
                return;
            }
        }
        fail("no task was killed while its model predicted, in " + ATTEMPTS + " attempts");
    }

    /** Until a thread is in the model: before, its lease could end first. */
    private static void awaitPrediction(Future<Inference.Result> running) throws InterruptedException {
        for (int i = 0; i < 30_000 && !isPredicting() && !running.isDone(); i++) {
            Thread.sleep(1);
        }
    }

    private static boolean isPredicting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().startsWith("ai.onnxruntime.")
                        && frame.getMethodName().equals("run"));
    }

    @Test
    void moreRowsThanThereIsRoomForAreRefused() {
        try (Inference inference = inference(SMALL)) {
            assertThatThrownBy(() -> inference.start(Integer.MAX_VALUE / 2 + 1, in -> {}))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(
                            "the model model.onnx cannot be given 1073741824 rows at once, 2 values each: there is no"
                                    + " room for them beside the heap (integer overflow): predict fewer with the option"
                                    + " batchRows, or raise spark.executor.memory")
                    .as("Spark would end the executor for an OutOfMemoryError that is a cause")
                    .hasNoCause();
        }
    }

    @Test
    void aModelThatFailsIsNamed() {
        try (Inference inference = new Inference(Fixtures.source(SMALL.greedy(1)), task, metrics)) {
            assertThatThrownBy(() -> inference.finish(inference.start(1, in -> in.put(new float[] {2, 0}))))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("the model model.onnx failed: onnxruntime cannot predict 1 rows of ");
        }
    }

    private static void awaitMetrics(ModelPool pool, ModelPool.Metrics expected) throws InterruptedException {
        for (int i = 0; i < 3000 && !pool.metrics().equals(expected); i++) {
            Thread.sleep(10);
        }
        assertThat(pool.metrics()).isEqualTo(expected);
    }

    @Test
    void aClosedLeasePredictsNoMore() {
        Inference inference = inference(SMALL);
        inference.close();
        assertThatThrownBy(() -> inference.finish(inference.start(1, in -> in.put(new float[2]))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("is closed: acquire another");
    }

    @Test
    void batchesAreAnsweredInOrderOneAhead() {
        List<Long> read = new ArrayList<>();
        Iterator<Batch> batches = batches(5, read);
        try (Inference inference = inference(SMALL)) {
            PredictedBatches predicted = predicted(batches, inference);
            for (int group = 0; group < 5; group++) {
                assertThat(predicted.hasNext()).isTrue();
                AnsweredBatch answered = predicted.next();
                assertThat(answered.batch().group()).isEqualTo(group);
                assertThat(answered.answers().rows()).isEqualTo(group);
                for (int row = 0; row < group; row++) {
                    assertThat(answered.answers().prediction(row))
                            .containsExactly(SMALL.predict(new float[] {group, row}));
                }
                assertThat(read).as("one ahead").hasSize(Math.min(5, group + 2));
            }
            assertThat(predicted.hasNext()).isFalse();
        }
        assertThat(metrics.get(Metrics.Metric.INFERENCE_TIME).value()).isNotEqualTo(0L);
    }

    /** Batch g has g rows (g, row); its inputs are overwritten when the next one is read. */
    private static Iterator<Batch> batches(int count, List<Long> read) {
        ByteBuffer inputs = Fixtures.floats(new float[2 * count]);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return read.size() < count;
            }

            @Override
            public Batch next() {
                int group = read.size();
                read.add((long) group);
                for (int row = 0; row < group; row++) {
                    inputs.putFloat(8 * row, group).putFloat(8 * row + 4, row);
                }
                return new Batch(group, 0, new GroupShape(group), PackedRows.NONE, inputs);
            }
        };
    }

    private static PredictedBatches predicted(Iterator<Batch> batches, Inference inference) {
        return PredictedBatches.dispensable(batches, inference, FORMAT);
    }

    /** A model whose predictions fail. */
    private Inference failing(ModelException failure) {
        Model model =
                new CheckedModel(
                        "test", new TensorSpec("input", List.of(2)), new TensorSpec("output", List.of(1)), Device.CPU) {
                    @Override
                    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
                        throw failure;
                    }

                    @Override
                    protected void free() {}
                };
        return new Inference(Fixtures.source(SMALL.file()), () -> model, task, metrics);
    }

    /** A task may start the next but one, whose turn has the same buffers, without waiting for it. */
    @Test
    void aPredictionThatStillRunsKeepsItsBuffers() throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        Model first =
                new CheckedModel(
                        "test", new TensorSpec("input", List.of(2)), new TensorSpec("output", List.of(1)), Device.CPU) {
                    @Override
                    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
                        try {
                            mayRead.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        outputs.put(inputs.get() + inputs.get());
                    }

                    @Override
                    protected void free() {}
                };
        try (Inference inference = new Inference(Fixtures.source(SMALL.file()), () -> first, task, metrics)) {
            List<Future<Inference.Result>> running = new ArrayList<>();
            for (int prediction = 0; prediction < 4; prediction++) {
                float value = prediction;
                running.add(inference.start(1, in -> in.put(value).put(value)));
            }

            mayRead.countDown();

            for (int prediction = 0; prediction < 4; prediction++) {
                assertThat(inference.finish(running.get(prediction))).containsExactly(2f * prediction);
            }
        }
    }

    private static Iterator<Batch> oneRow() {
        return List.of(new Batch(0, 0, new GroupShape(1), PackedRows.NONE, Fixtures.floats(2, 0)))
                .iterator();
    }

    /** Another executor can predict the rows. */
    @ParameterizedTest
    @EnumSource(OnError.class)
    void aLostDeviceFailsTheTaskWhateverTheUserWantsOfErrors(OnError onError) {
        try (Inference inference = failing(new DeviceLostException("the GPU fell off the bus", null))) {
            PredictedBatches predicted = PredictedBatches.forUser(oneRow(), inference, FORMAT, onError);
            assertThatThrownBy(predicted::next)
                    .isInstanceOf(ModelException.class)
                    .hasMessage("the model model.onnx failed: the GPU fell off the bus");
        }
    }

    @Test
    void otherFailuresAreWhatTheUserWantsOfErrors() {
        try (Inference inference = failing(new ModelException("the rows are odd"))) {
            Answers answers = PredictedBatches.forUser(oneRow(), inference, FORMAT, OnError.COLUMN)
                    .next()
                    .answers();
            assertThat(answers.error(0)).isEqualTo("the model model.onnx failed: the rows are odd");
            assertThatThrownBy(PredictedBatches.forUser(oneRow(), inference, FORMAT, OnError.FAIL)::next)
                    .isInstanceOf(ModelException.class);
        }
    }

    /** As parities, without which a task answers its own rows. */
    @Test
    void aLostDeviceFailsNothingThatIsDispensable() {
        try (Inference inference = failing(new DeviceLostException("the GPU fell off the bus", null))) {
            Answers answers = predicted(oneRow(), inference).next().answers();
            assertThat(answers.count(Outcome.UNAVAILABLE)).isOne();
        }
    }
}
