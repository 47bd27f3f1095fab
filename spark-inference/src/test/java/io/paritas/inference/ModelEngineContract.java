/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static io.paritas.inference.graph.TestGraphs.row;
import static io.paritas.inference.graph.TestGraphs.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.TestGraphs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every engine does with every model. A subclass names the engine. */
public abstract class ModelEngineContract {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);
    private static final float TOLERANCE = 1e-6f;
    private static final int THREADS = 4;
    private static final Path STATUS = Path.of("/proc/self/status");
    private final ModelOptions here = ModelOptions.DEFAULT.withDevice(device());
    private static final Graph SMALL = TestGraphs.small(SEED);
    private static final Graph LINEAR =
            TestGraphs.linear(new float[][] {{1, 2, 3}, {-1, 0.5f, 4}}, new float[] {10, -20});

    /** The engine to test. */
    protected abstract ModelEngine engine();

    /** Where the engine runs. */
    protected Device device() {
        return Device.CPU;
    }

    /** How often something is repeated that is done as often as given; fewer times for an engine that is slow here. */
    protected int times(int whole) {
        return whole;
    }

    /** The memory in use, in kB; empty if this system does not tell. */
    protected OptionalLong kilobytesInUse() throws IOException {
        return Files.isReadable(STATUS) ? OptionalLong.of(residentKilobytes()) : OptionalLong.empty();
    }

    /** The network as a file that the engine reads. */
    protected ModelFile file(Graph graph) {
        return graph.toModelFile();
    }

    private Model load(Graph graph) {
        return engine().load(file(graph), here);
    }

    @BeforeEach
    void isAvailable() {
        String refusal = engine().unavailable(device()).orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
    }

    @Test
    void isFoundByItsName() {
        assertThat(ModelEngines.all()).extracting(ModelEngine::name).contains(engine().name());
        try (Model model = ModelEngines.load(file(LINEAR), here.withEngine(engine().name()))) {
            assertThat(model.predict(new float[3])).containsExactly(10, -20);
        }
    }

    @Test
    void tellsShapesAndDevice() {
        try (Model model = load(SMALL)) {
            assertThat(model.input().shape()).containsExactly(1, 8, 8);
            assertThat(model.output().shape()).containsExactly(3);
            assertThat(model.device()).isEqualTo(device());
        }
    }

    @Test
    void computesWhatTheNetworkSays() {
        try (Model model = load(LINEAR)) {
            assertThat(model.predict(new float[] {0, 0, 0, 1, 0, 0, 1, 1, 1, -2, 4, 0.5f}))
                    .containsExactly(
                            new float[] {10, -20, 11, -21, 16, -16.5f, 10 - 2 + 8 + 1.5f, -20 + 2 + 2 + 2},
                            within(TOLERANCE));
        }
    }

    @Test
    void aRowHasTheSamePredictionAloneAndInAnyBatch() {
        float[] inputs = values(67 * 64);
        try (Model model = load(SMALL)) {
            float[] all = model.predict(inputs);
            assertThat(all).hasSize(67 * 3);
            for (int i = 0; i < 67; i++) {
                assertThat(model.predict(row(inputs, i, 64)))
                        .as("row %d", i)
                        .containsExactly(row(all, i, 3), within(TOLERANCE));
            }
            assertThat(model.predict(row(inputs, 1, 64 * 13))).containsExactly(row(all, 1, 3 * 13), within(TOLERANCE));
        }
    }

    @Test
    void moreThreadsForOnePredictionPredictTheSame() {
        float[] inputs = values(9 * 64);
        try (Model one = load(SMALL);
                Model two = engine().load(file(SMALL), here.withThreads(2))) {
            assertThat(two.predict(inputs)).containsExactly(one.predict(inputs), within(TOLERANCE));
        }
    }

    @Test
    void threadsShareAModel() throws Exception {
        float[] inputs = values(8 * 64);
        try (Model model = load(SMALL)) {
            float[] expected = model.predict(inputs);
            atOnce(thread -> {
                for (int i = 0; i < times(200); i++) {
                    int index = (thread + i) % 8;
                    assertThat(model.predict(row(inputs, index, 64)))
                            .containsExactly(row(expected, index, 3), within(TOLERANCE));
                }
            });
        }
    }

    @Test
    void readsAndWritesAtThePositionsAndMovesThem() {
        FloatBuffer inputs = Model.direct(10).put(5, 1).put(6, 1).put(7, 1).position(5);
        FloatBuffer outputs = Model.direct(6);
        for (int i = 0; i < 6; i++) {
            outputs.put(i, 77);
        }
        outputs.position(3);
        try (Model model = load(LINEAR)) {
            model.predict(1, inputs, outputs);
        }
        assertThat(inputs.position()).isEqualTo(8);
        assertThat(outputs.position()).isEqualTo(5);
        assertThat(content(outputs)).containsExactly(77, 77, 77, 16, -16.5f, 77);
        assertThat(content(inputs)).containsExactly(0, 0, 0, 0, 0, 1, 1, 1, 0, 0);
    }

    private static float[] content(FloatBuffer buffer) {
        float[] all = new float[buffer.capacity()];
        buffer.get(0, all);
        return all;
    }

    @Test
    void refusesBuffersItCannotUse() {
        try (Model model = load(LINEAR)) {
            FloatBuffer in = Model.direct(6);
            FloatBuffer out = Model.direct(4);
            refused(model, 0, in, out, "a batch needs at least 1 row, got 0");
            refused(
                    model,
                    1,
                    FloatBuffer.allocate(3),
                    out,
                    "the inputs must be a direct buffer in native byte order, "
                            + "got one on the heap: make it with Model.direct");
            refused(
                    model,
                    1,
                    in,
                    FloatBuffer.allocate(2),
                    "the outputs must be a direct buffer in native byte order, "
                            + "got one on the heap: make it with Model.direct");
            ByteOrder foreign =
                    ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            FloatBuffer swapped = ByteBuffer.allocateDirect(64).order(foreign).asFloatBuffer();
            refused(
                    model,
                    1,
                    swapped,
                    out,
                    "the inputs must be a direct buffer in native byte order, " + "got a direct one in " + foreign
                            + ": make it with Model.direct");
            refused(
                    model,
                    3,
                    in,
                    out,
                    "the inputs of 3 rows of " + model.input() + " are 9 values, the buffer has only 6 remaining");
            refused(
                    model,
                    2,
                    in,
                    Model.direct(3),
                    "the outputs of 2 rows of " + model.output() + " are 4 values, the buffer has only 3 remaining");
            refused(
                    model,
                    Integer.MAX_VALUE,
                    in,
                    out,
                    "the inputs of 2147483647 rows of " + model.input()
                            + " are 6442450941 values, the buffer has only 6 remaining");
            refused(model, 1, in, out.asReadOnlyBuffer(), "the outputs must be writable, got a read-only buffer");
            assertThatThrownBy(() -> model.predict(new float[4]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a batch must be a whole number of rows of 3 values for " + model.input()
                            + ", got 4 values");
        }
    }

    private static void refused(Model model, int rows, FloatBuffer inputs, FloatBuffer outputs, String message) {
        assertThatThrownBy(() -> model.predict(rows, inputs, outputs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(inputs.position()).isZero();
        assertThat(outputs.position()).isZero();
    }

    @Test
    void inputsMayBeReadOnly() {
        FloatBuffer outputs = Model.direct(2);
        try (Model model = load(LINEAR)) {
            model.predict(1, Model.direct(3).asReadOnlyBuffer(), outputs);
        }
        assertThat(content(outputs)).containsExactly(10, -20);
    }

    @Test
    void aModelForOneSizeOfBatchTakesAnyNumberOfRows() {
        float[] inputs = values(9 * 64);
        try (Model any = load(SMALL);
                Model four = load(TestGraphs.fixedBatch(SMALL, 4))) {
            assertThat(four.input().shape()).containsExactly(1, 8, 8);
            for (int rows = 1; rows <= 9; rows++) {
                float[] some = Arrays.copyOf(inputs, rows * 64);
                assertThat(four.predict(some))
                        .as("%d rows", rows)
                        .containsExactly(any.predict(some), within(TOLERANCE));
            }
        }
    }

    @Test
    void notANumberStaysInItsRow() {
        float nan = Float.NaN;
        float infinity = Float.POSITIVE_INFINITY;
        try (Model model = load(LINEAR)) {
            assertThat(model.predict(new float[] {1, 1, 1, nan, 1, 1, 1, 1, 1, infinity, 1, 1}))
                    .containsExactly(16, -16.5f, nan, nan, 16, -16.5f, infinity, -infinity);
        }
    }

    @Test
    void refusesDamagedModels() {
        byte[] whole = file(SMALL).bytes();
        byte[] random = new byte[whole.length];
        new Random(SEED).nextBytes(random);
        System.arraycopy(whole, 0, random, 0, 4);
        List<byte[]> damaged = new ArrayList<>(List.of(random));
        for (int length : new int[] {5, whole.length / 10, whole.length / 2, whole.length - 30, whole.length - 1}) {
            damaged.add(Arrays.copyOf(whole, length));
        }
        for (byte[] bytes : damaged) {
            assertThatThrownBy(() -> engine().load(ModelFile.of(bytes), here).close())
                    .as("%d bytes, seed %d", bytes.length, SEED)
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining(engine().name())
                    .hasMessageContaining(" " + bytes.length + " bytes")
                    .hasCauseInstanceOf(Exception.class);
        }
    }

    @Test
    void refusesAnotherFormat() {
        byte[] zip = {'P', 'K', 3, 4, 0};
        byte[] protobuf = {8, 8, 18, 0};
        ModelFile other = ModelFile.of(engine().formats().contains(ModelFormat.ONNX) ? zip : protobuf);
        assumeTrue(!engine().formats().contains(other.format()), "skipped: the engine reads every format");
        assertThatThrownBy(() -> engine().load(other, here))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("the model is " + other.format());
    }

    @Test
    void aClosedModelRefuses() {
        Model model = load(LINEAR);
        model.close();
        model.close();
        assertThatThrownBy(() -> model.predict(new float[3]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model with " + model.input() + " is closed: load it again");
    }

    @Test
    void closingWaitsForThePredictionsThatRun() throws Exception {
        float[] inputs = values(64 * 64);
        for (int round = 0; round < times(10); round++) {
            Model model = load(SMALL);
            float[] expected = model.predict(inputs);
            CountDownLatch running = new CountDownLatch(THREADS - 1);
            atOnce(thread -> {
                if (thread == 0) {
                    running.await();
                    model.close();
                } else {
                    predictUntilClosed(model, inputs, expected, running);
                }
            });
        }
    }

    private static void predictUntilClosed(Model model, float[] inputs, float[] expected, CountDownLatch running) {
        while (true) {
            try {
                assertThat(model.predict(inputs)).containsExactly(expected, within(TOLERANCE));
                running.countDown();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("is closed");
                return;
            }
        }
    }

    @Test
    void runsOnAGpuOrSaysWhyNot() {
        Optional<String> refusal = engine().unavailable(Device.CUDA);
        ModelOptions cuda = here.withDevice(Device.CUDA);
        if (refusal.isEmpty()) {
            try (Model gpu = engine().load(file(SMALL), cuda);
                    Model cpu = load(SMALL)) {
                assertThat(gpu.device()).isEqualTo(Device.CUDA);
                assertThat(gpu.predict(values(5 * 64))).containsExactly(cpu.predict(values(5 * 64)), within(1e-4f));
            }
        } else {
            assertThatThrownBy(() -> engine().load(file(SMALL), cuda))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining(engine().name())
                    .hasMessageContaining(refusal.get());
        }
    }

    @Test
    void aGpuThatIsNotThereIsRefused() {
        assumeTrue(engine().unavailable(Device.CUDA).isEmpty(), "skipped: there is no GPU");
        assertThatThrownBy(() ->
                        engine().load(file(SMALL), here.withDevice(Device.CUDA).withGpu(GpuChoice.of(63))))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining(engine().name())
                .hasMessageContaining("CUDA 63");
    }

    @Test
    void theNumberOfTheGpuIsNothingToTheCpu() {
        assumeTrue(device() == Device.CPU, "skipped: the engine runs on a GPU");
        try (Model model = engine().load(file(LINEAR), here.withGpu(GpuChoice.of(63)))) {
            assertThat(model.device()).isEqualTo(Device.CPU);
            assertThat(model.predict(new float[3])).containsExactly(10, -20);
        }
    }

    @Test
    void anyDeviceBecomesOneThatRuns() {
        try (Model model = engine().load(file(LINEAR), ModelOptions.DEFAULT)) {
            assertThat(model.device()).isIn(Device.CPU, Device.CUDA);
            assertThat(model.predict(new float[3])).containsExactly(10, -20);
        }
    }

    /**
     * A tensor that is not freed costs some hundred bytes, in every round; the just-in-time compiler's memory comes and goes.
     */
    @Tag("slow")
    @Test
    void predictingLeaksNothing() throws IOException {
        assumeTrue(kilobytesInUse().isPresent(), "skipped: this system has no " + STATUS);
        FloatBuffer inputs = Model.direct(64);
        FloatBuffer outputs = Model.direct(3);
        long[] growth = new long[9];
        try (Model model = load(SMALL)) {
            predict(times(1_000), model, inputs, outputs);
            for (int round = 0; round < growth.length; round++) {
                long before = kilobytesInUse().getAsLong();
                predict(times(10_000), model, inputs, outputs);
                growth[round] = kilobytesInUse().getAsLong() - before;
            }
        }
        assertThat(median(growth))
                .as("kB that %d predictions keep, of %s", times(10_000), Arrays.toString(growth))
                .isLessThan(2048);
    }

    private static long median(long[] values) {
        return Arrays.stream(values).sorted().toArray()[values.length / 2];
    }

    private static void predict(int times, Model model, FloatBuffer inputs, FloatBuffer outputs) {
        for (int i = 0; i < times; i++) {
            model.predict(1, inputs.rewind(), outputs.rewind());
        }
    }

    @Tag("slow")
    @Test
    void loadingAndClosingLeaksNothing() throws IOException {
        assumeTrue(kilobytesInUse().isPresent(), "skipped: this system has no " + STATUS);
        ModelFile file = file(SMALL);
        long[] growth = new long[9];
        loadAndClose(times(50), file);
        for (int round = 0; round < growth.length; round++) {
            long before = kilobytesInUse().getAsLong();
            loadAndClose(times(50), file);
            growth[round] = kilobytesInUse().getAsLong() - before;
        }
        assertThat(median(growth))
                .as("kB that %d models keep, of %s", times(50), Arrays.toString(growth))
                .isLessThan(2048);
    }

    private void loadAndClose(int times, ModelFile file) {
        for (int i = 0; i < times; i++) {
            engine().load(file, here).close();
        }
    }

    private static long residentKilobytes() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new AssertionError(STATUS + " has no VmRSS");
    }

    private interface Work {
        void of(int thread) throws Exception;
    }

    private static void atOnce(Work work) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Void>> works = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                works.add(() -> {
                    work.of(thread);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(works)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
