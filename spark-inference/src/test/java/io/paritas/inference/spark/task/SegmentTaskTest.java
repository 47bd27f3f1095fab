/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.Logged;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelPool;
import io.paritas.inference.Outcome;
import io.paritas.inference.Protection;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.Target;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.screen.Suspect;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.driver.Attempt;
import io.paritas.inference.spark.driver.CoordinatorClient;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.driver.RecordingLine;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.EngineSpec;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.spark.job.QueryException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerDecommissioner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Option;

/** However an attempt ends, the driver hears of it and its model is given back. */
class SegmentTaskTest {
    private static final Layout LAYOUT = new Layout(2, 1, 3, Placement.ROTATED, 1);

    private final TaskContextImpl task = Fixtures.task();
    /* To every question: the first mode is to compute, nothing is kept, no parity is wanted. */
    private final RecordingLine line = new RecordingLine(message -> new long[] {0, -1, 0, 0, 0});
    private Metrics metrics;
    private ModelPool pool;

    @BeforeEach
    void emptyPool() {
        metrics = Metrics.coded(Fixtures.spark());
        ModelPool.shared().close();
        pool = ModelPool.shared();
    }

    /** Of a test that was interrupted. */
    @AfterEach
    void goOn() {
        var unused = Thread.interrupted();
    }

    private Iterator<AnsweredBatch> answer(Iterator<Batch> data) {
        return answer(data, Fixtures.coding(2, 1, Encoding.ADDITION, List.of(2), LAYOUT), line);
    }

    /** Of rows that stay where they are, in an execution whose groups are compared. */
    private Iterator<AnsweredBatch> answer(Iterator<Batch> data, int execution) {
        CodingSpec coding = new CodingSpec(
                new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS),
                List.of(2),
                InputRange.FINITE,
                List.of(),
                Map.of(),
                new Layout(2, 1, 3, Placement.SEPARATE, 1),
                new LatePolicy(1, Duration.ZERO),
                new ResidualBound.Calibrated(2, List.of(1.0)));
        Iterator<long[]> answers =
                List.of(new long[] {0, execution, 0, 0, 0}, new long[] {-1, -1}).iterator();
        return answer(data, coding, new RecordingLine(message -> answers.next()));
    }

    private Iterator<AnsweredBatch> answer(Iterator<Batch> data, CodingSpec coding, RecordingLine line) {
        return answer(data, coding, line, wanted -> data);
    }

    private Iterator<AnsweredBatch> answer(
            Iterator<Batch> data, CodingSpec coding, RecordingLine line, Helper.Queries queries) {
        return answer(ExactModel.of(2, 1, 1).file(), data, coding, line, queries);
    }

    private Iterator<AnsweredBatch> answer(
            ModelFile model, Iterator<Batch> data, CodingSpec coding, RecordingLine line, Helper.Queries queries) {
        PredictionPlan plan = new PredictionPlan(
                Fixtures.source(model),
                Fixtures.plan(
                        Fixtures.reader(BinaryContent.FLOAT32, List.of(2), 1, List.of(0f), List.of(1f)),
                        4,
                        OnError.FAIL),
                metrics);
        CoordinatorClient coordinator =
                new CoordinatorClient(line, Attempt.of(task, 1, 0), coding.layout(), coding.late(), nanos -> {});
        return new SegmentTask(new Assignment(task, 0, plan, coding, coordinator), () -> data, queries).answer();
    }

    /** Batches of a row each; before the last one, something happens. */
    private static Iterator<Batch> batches(int count, Runnable beforeLast) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < count;
            }

            @Override
            public Batch next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                if (++next == count) {
                    beforeLast.run();
                }
                return new Batch(next, 0, new GroupShape(1), PackedRows.NONE, Fixtures.floats(1, next));
            }
        };
    }

    /** Models that nobody uses any more are closed with the pool: what is being predicted ends on a thread of its own. */
    private void noModelIsUsed() throws InterruptedException {
        pool.close();
        for (int i = 0; i < 3000 && pool.metrics().evictions() == 0; i++) {
            Thread.sleep(10);
        }
        assertThat(pool.metrics()).isEqualTo(new ModelPool.Metrics(1, 0, 1));
    }

    @Test
    void aSuccess() throws InterruptedException {
        Iterator<AnsweredBatch> answers = answer(batches(3, () -> {}));
        for (int i = 0; i < 3; i++) {
            assertThat(answers.next().answers().rows()).isEqualTo(1);
        }
        assertThat(answers.hasNext()).isFalse();
        assertThat(line.ends()).isEmpty();
        noModelIsUsed(); // a task may go on with other segments

        task.markTaskCompleted(Option.empty());

        assertThat(line.ends()).containsExactly(true);
    }

    @Test
    void aFailure() throws InterruptedException {
        Iterator<AnsweredBatch> answers = answer(batches(3, () -> {
            throw new IllegalStateException("on purpose");
        }));
        answers.next();
        assertThatThrownBy(answers::next).hasMessage("on purpose");

        fail(new IllegalStateException("on purpose"));

        assertThat(line.ends()).containsExactly(false);
        noModelIsUsed();
    }

    @Test
    void aKill() throws InterruptedException {
        Iterator<AnsweredBatch> answers = answer(batches(3, () -> {}));
        answers.next();
        task.markInterrupted("its rows can be reconstructed without it");
        assertThatThrownBy(task::killTaskIfInterrupted).isInstanceOf(TaskKilledException.class);

        fail(new TaskKilledException("its rows can be reconstructed without it"));

        assertThat(line.ends()).containsExactly(false);
        noModelIsUsed();
    }

    /** Rows that crossed no exchange lie in memory that the next batch takes, while the model works one batch ahead. */
    @Test
    void whatIsRememberedIsWhatWasPredicted() {
        int execution = Fixtures.spark().newRddId();
        Iterator<Batch> data = new Iterator<>() {
            private final ByteBuffer shared = Fixtures.floats(0, 0);
            private int group;

            @Override
            public boolean hasNext() {
                return group < 4;
            }

            @Override
            public Batch next() {
                shared.putFloat(0, 1 + group).putFloat(Float.BYTES, 10 * group);
                return new Batch(group++, 0, new GroupShape(1), PackedRows.NONE, shared);
            }
        };
        RecentBatches recent = new RecentBatches(1 << 20);
        Screens none = Screens.none();
        new Screens(none.sampler(), recent, none.stacks(), none.layers()).install();
        try {
            List<AnsweredBatch> answered = new ArrayList<>();
            answer(data, execution).forEachRemaining(answered::add);
            for (AnsweredBatch each : answered) {
                long group = each.batch().group();
                List<Sample> samples = recent.of(new Suspect(execution, group, List.of(0)));
                assertThat(samples).as("group %d", group).hasSize(1);
                assertThat(samples.get(0).inputs()).containsExactly(1 + group, 10 * group);
                assertThat(samples.get(0).outputs()).isEqualTo(each.answers().values());
            }
            assertThat(answered).hasSize(4);
        } finally {
            none.install();
        }
    }

    /** It reads rows of other segments, which an uncoded query may never read: their own tasks say what is wrong with them. */
    @Test
    void aParityOfRowsThatAreNoInputIsLeft() {
        try (Logged log = new Logged(Helper.class.getName())) {
            answersThoughItMakesNoParity(Fixtures.source(ExactModel.of(2, 1, 1).file()), batches(1, () -> {
                throw new QueryException("a row is null");
            }));
            assertThat(log.lines()).isEmpty();
        }
    }

    /** A function of the user fails for them, or what reads them does. */
    @ParameterizedTest
    @MethodSource
    void aParityOfRowsThatCannotBeReadIsLeft(Exception reason) {
        try (Logged log = new Logged(Helper.class.getName())) {
            answersThoughItMakesNoParity(
                    Fixtures.source(ExactModel.of(2, 1, 1).file()), batches(1, () -> raise(reason)));
            assertThat(log.lines()).containsExactly("WARN Paritas: segment 1 gets no help from this task: " + reason);
        }
    }

    static List<Exception> aParityOfRowsThatCannotBeReadIsLeft() {
        return List.of(
                new UncheckedIOException("on purpose", new IOException("the disk is full")),
                new SparkException("a function failed"));
    }

    /** Spark computes again what is lost, and ends what is killed. */
    @ParameterizedTest
    @MethodSource
    void whatSparkHasToSeeEndsATaskThatHelps(Exception reason) {
        assertThatThrownBy(() -> answersThoughItMakesNoParity(
                        Fixtures.source(ExactModel.of(2, 1, 1).file()), batches(1, () -> raise(reason))))
                .isSameAs(reason);
    }

    static List<Exception> whatSparkHasToSeeEndsATaskThatHelps() {
        return List.of(
                new FetchFailedException(null, 1, 2, 3, 4, "an executor is gone", null),
                new TaskKilledException("on purpose"),
                new InterruptedException("on purpose"),
                new ClosedByInterruptException());
    }

    /** As Spark, which is written in Scala, throws what it does not declare. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void raise(Exception reason) throws E {
        throw (E) reason;
    }

    /** Memory that suffices for the deployed model may be short for a parity model beside it. */
    @Test
    void aParityWhoseModelCannotBeLoadedIsLeft() {
        EngineSpec none = new EngineSpec("none", Device.CPU, 1, List.of(), Protection.OFF);
        ModelSource source = Fixtures.source(ExactModel.of(2, 1, 1).file());
        try (Logged log = new Logged(Helper.class.getName())) {
            answersThoughItMakesNoParity(
                    new ModelSource("parity.onnx", source.file(), 1, none, source.agreement()), batches(1, () -> {}));
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN Paritas: segment 1 gets no help from this task: the model parity.onnx failed: "
                            + "the engine is one of auto, ");
        }
    }

    /** Its own rows are answered. The driver hears of the end alone, so that nothing is reconstructed from what is not there. */
    @ParameterizedTest
    @CsvSource({"0,0", "1,6"})
    void anExecutorThatTakesNoBlocksAnswersAllTheSame(int mode, int sources) {
        int execution = Fixtures.spark().newRddId();
        PredictionStore store = new PredictionStore(execution, LAYOUT);
        for (int segment = 1; segment < 3; segment++) {
            store.put(store.computed(segment), new PredictionStore.Block());
            store.put(store.parity(segment, 0), new PredictionStore.Block());
        }
        long[] instruction = {mode, execution, sources, mode, 0};
        RecordingLine started = new RecordingLine(message -> instruction);
        BlockManager manager = SparkEnv.get().blockManager();
        manager.decommissioner_$eq(Option.apply(new BlockManagerDecommissioner(manager.conf(), manager)));
        try (Logged log = new Logged(PredictionStore.class.getName())) {
            List<AnsweredBatch> answered = new ArrayList<>();
            answer(batches(3, () -> {}), Fixtures.coding(2, 1, Encoding.ADDITION, List.of(2), LAYOUT), started)
                    .forEachRemaining(answered::add);
            assertThat(answered).hasSize(3);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN Paritas: predictions are not kept for other tasks: ")
                    .contains("rdd_" + execution + "_", "decommissioned");
        } finally {
            manager.decommissioner_$eq(Option.empty());
        }
        task.markTaskCompleted(Option.empty());
        assertThat(started.kinds()).containsExactly("START", "END");
        assertThat(started.ends()).containsExactly(true);
    }

    /** A task whose rows are predicted is asked for the parity of another segment. */
    private void answersThoughItMakesNoParity(ModelSource model, Iterator<Batch> parity) {
        int execution = Fixtures.spark().newRddId();
        Iterator<long[]> replies =
                List.of(new long[] {0, execution, 0, 0, 0}, new long[] {0, 1}).iterator();
        RecordingLine asked = new RecordingLine(message -> replies.next());
        CodingSpec coding = new CodingSpec(
                new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS),
                List.of(2),
                InputRange.FINITE,
                List.of(model),
                Map.of(),
                LAYOUT,
                new LatePolicy(1, Duration.ZERO),
                ResidualBound.NONE);

        List<AnsweredBatch> answered = new ArrayList<>();
        answer(batches(3, () -> {}), coding, asked, wanted -> parity).forEachRemaining(answered::add);

        assertThat(answered).hasSize(3);
        assertThat(replies.hasNext()).as("the parity was asked for").isFalse();
        assertThat(metrics.get(Metrics.Metric.PARITY_COMPUTED).value()).isZero();
    }

    /** As nobody asks for them any more, nobody would drop them. */
    @ParameterizedTest
    @CsvSource({"-1,true", "-2,false"})
    void predictionsAreKeptUnlessTheirQueryIsOver(int reply, boolean kept) {
        int execution = Fixtures.spark().newRddId();
        Iterator<long[]> replies = List.of(new long[] {0, execution, 0, 0, 0}, new long[] {reply, -1})
                .iterator();
        CodingSpec coding = Fixtures.coding(2, 1, Encoding.ADDITION, List.of(2), LAYOUT);

        answer(batches(3, () -> {}), coding, new RecordingLine(message -> replies.next()))
                .forEachRemaining(answered -> {});

        PredictionStore store = new PredictionStore(execution, LAYOUT);
        assertThat(store.get(store.computed(0)).isPresent()).isEqualTo(kept);
    }

    /** A task predicts the rows of a segment whose own has not started: that one can, if memory is short here only. */
    @ParameterizedTest
    @CsvSource({"1,true", "9,false"})
    void rowsOfOthersAreKeptIfAllOfThemArePredicted(int value, boolean kept) {
        int execution = Fixtures.spark().newRddId();
        Iterator<long[]> replies = List.of(new long[] {0, execution, 0, 0, 0}, new long[] {-1, 1}, new long[] {-1, -1})
                .iterator();
        CodingSpec coding = Fixtures.coding(2, 1, Encoding.ADDITION, List.of(2), LAYOUT);
        Batch other = new Batch(1, 0, new GroupShape(1), PackedRows.NONE, Fixtures.floats(value, 0));

        List<AnsweredBatch> answered = new ArrayList<>();
        answer(
                        ExactModel.of(2, 1, 1).greedy(5),
                        batches(3, () -> {}),
                        coding,
                        new RecordingLine(message -> replies.next()),
                        wanted -> List.of(other).iterator())
                .forEachRemaining(answered::add);

        assertThat(answered).hasSize(3);
        PredictionStore store = new PredictionStore(execution, LAYOUT);
        assertThat(store.get(store.computed(1)).isPresent()).isEqualTo(kept);
    }

    /** They are lost to the code, not to the task, which has them. */
    @ParameterizedTest
    @CsvSource({"false,load", "true,run"})
    void rowsThatANetworkCannotReconstructArePredicted(boolean loads, String what) {
        int execution = Fixtures.spark().newRddId();
        PredictionStore store = new PredictionStore(execution, LAYOUT);
        PredictionStore.Block data = new PredictionStore.Block();
        PredictionStore.Block parity = new PredictionStore.Block();
        for (int group = 1; group <= 3; group++) {
            data.add(group, Answers.predicted(1, new float[] {5}));
            parity.add(group, Answers.predicted(1, new float[] {7}).of(new GroupShape(1, 1)));
        }
        store.put(store.computed(1), data);
        store.put(store.parity(1, 0), new PredictionStore.Block());
        store.put(store.computed(2), new PredictionStore.Block());
        store.put(store.parity(2, 0), parity);
        Iterator<long[]> replies = List.of(new long[] {1, execution, 0b110, 1, 0}, new long[] {-1, -1})
                .iterator();
        CodingSpec coding = Fixtures.coding(new FailingCode(loads), List.of(1, 1, 1), LAYOUT);
        try (Logged log = new Logged(Reconstruction.class.getName())) {
            List<AnsweredBatch> answered = new ArrayList<>();
            answer(batches(3, () -> {}), coding, new RecordingLine(message -> replies.next()))
                    .forEachRemaining(answered::add);
            assertThat(answered)
                    .extracting(batch -> batch.answers().outcome(0))
                    .containsExactly(Outcome.PREDICTED, Outcome.PREDICTED, Outcome.PREDICTED);
            assertThat(log.lines())
                    .containsExactly("WARN Paritas: segment 0 is predicted, it cannot be reconstructed: no memory to "
                            + what + " the decoder");
        }
    }

    /** As Spark ends a task that throws. */
    private void fail(Throwable error) {
        task.markTaskFailed(error);
        task.markTaskCompleted(Option.apply(error));
    }
}
