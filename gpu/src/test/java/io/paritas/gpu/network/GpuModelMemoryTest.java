/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.gpu.CountedMemory;
import io.paritas.gpu.CountedMemory.Used;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.ModelPool;
import io.paritas.inference.Protection;
import io.paritas.inference.StoredRows;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.TestGraphs;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What models take of the GPU's and of page-locked memory. */
@Tag("contract")
class GpuModelMemoryTest {
    /** The build pays for a few; {@code -Dio.paritas.test.batches=10000} is the whole test. */
    static final int BATCHES = Integer.getInteger("io.paritas.test.batches", 60);

    private static final int TASKS = 3;
    private static final int MOST_ROWS = 4;
    private static final ModelOptions CUDA =
            ModelOptions.DEFAULT.withEngine("gpu").withDevice(io.paritas.inference.Device.CUDA);

    private final Device device = new Device();

    @BeforeEach
    void count() {
        CountedMemory.start();
    }

    @AfterEach
    void stop() {
        CountedMemory.stop();
        device.close();
    }

    @Test
    void tasksShareWeightsAndNothingLeaks() throws Exception {
        ModelFile file = TestGraphs.small(Reference.SEED).toModelFile();
        ExecutorService tasks = Executors.newFixedThreadPool(TASKS);
        try (ModelPool pool = new ModelPool(2, Duration.ofHours(1))) {
            pool.acquire(file, CUDA).close();
            Used loaded = CountedMemory.used();
            try (ModelPool.Lease again = pool.acquire(file, CUDA)) {
                assertThat(CountedMemory.used()).as("weights are packed once").isEqualTo(loaded);
                predict(again.model(), MOST_ROWS);
            }
            run(tasks, pool, file, 3 * TASKS * MOST_ROWS);
            Used warm = CountedMemory.used();
            run(tasks, pool, file, BATCHES);
            assertThat(CountedMemory.used())
                    .as("after %d batches, seed %d", BATCHES, Reference.SEED)
                    .isEqualTo(warm);
            assertThat(pool.metrics().loaded()).isEqualTo(1);
        } finally {
            tasks.shutdownNow();
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** Tasks that each lease the model, and predict batches of random sizes. */
    private static void run(ExecutorService threads, ModelPool pool, ModelFile file, int batches) throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int task = 0; task < TASKS; task++) {
            Random random = new Random(Reference.SEED + task);
            tasks.add(() -> {
                try (ModelPool.Lease lease = pool.acquire(file, CUDA)) {
                    predict(lease.model(), MOST_ROWS);
                    for (int i = 0; i < batches / TASKS; i++) {
                        predict(lease.model(), 1 + random.nextInt(MOST_ROWS));
                    }
                }
                return null;
            });
        }
        for (Future<Void> done : threads.invokeAll(tasks)) {
            done.get();
        }
    }

    private static void predict(Model model, int rows) {
        assertThat(model.predict(new float[rows * model.input().size()]))
                .hasSize(rows * model.output().size());
    }

    /** A GPU gives memory in pieces of 2 MiB, of which it keeps some for itself. */
    private void assumeMemoryIsOursAlone() {
        assumeTrue(device.isEmulated(), "how much a GPU allocates is not known to the byte");
    }

    /** Another process takes memory while the model is loaded. */
    @Test
    void aBatchWithoutRoomRunsInHalvesAndAnswersTheSame() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        int rows = 32;
        float[] inputs = Reference.rows(graph, rows);
        float[] expected = Reference.predict(graph, inputs);
        NetworkPlan plan = Planner.plan(graph, io.paritas.gpu.nn.Precision.SINGLE);
        long whole = plan.arena(rows).bytes();
        long half = plan.arena(rows / 2).bytes();
        try (Model model = new GpuEngine().load(graph.toModelFile(), CUDA);
                DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - (whole + half) / 2)) {
            for (int i = 0; i < 2; i++) {
                float[] got = model.predict(inputs);
                Reference.isNear("batch " + i, expected, got, io.paritas.gpu.nn.Precision.SINGLE);
            }
            assertThat(others.size()).isPositive();
            assertThat(model.hardware().kind())
                    .isEqualTo(device.gpu.name() + " with " + device.gpu.multiprocessors()
                            + " multiprocessors and 16 rows at once");
            assertThat(model.predict(Arrays.copyOf(inputs, graph.input().size())))
                    .containsExactly(Arrays.copyOf(expected, 10), within(1e-3f));
        }
    }

    /** Memory that another model keeps for its next batch comes first. */
    @Test
    void aBatchTakesTheMemoryOfIdleModels() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        int rows = 32;
        float[] inputs = Reference.rows(graph, rows);
        try (Model idle = new GpuEngine().load(graph.toModelFile(), CUDA);
                Model model = new GpuEngine().load(graph.toModelFile(), CUDA)) {
            float[] expected = idle.predict(inputs);
            try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - (1 << 12))) {
                assertThat(others.size()).isPositive();
                assertThat(model.predict(inputs)).isEqualTo(expected);
                assertThat(model.hardware().kind()).isEqualTo(idle.hardware().kind());
            }
            assertThat(idle.predict(inputs)).isEqualTo(expected);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** A model that computes little and keeps some mebibytes for its next batch. */
    private static Model idle() {
        GraphBuilder net = new GraphBuilder(1, 256, 256);
        Graph graph = net.output(net.maxPool(net.input(), 128, 128));
        Model idle = new GpuEngine().load(graph.toModelFile(), CUDA);
        predict(idle, 16);
        return idle;
    }

    /** Layers are measured in memory of their own. */
    @Test
    void aPlanThatIsMeasuredTakesTheMemoryOfIdleModels() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(16), 3));
        ModelOptions guided = CUDA.withProtection(Protection.of(Protection.Mode.GUIDED));
        try (Model idle = idle();
                DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - (1 << 12));
                Model model = new GpuEngine().load(graph.toModelFile(), guided)) {
            assertThat(others.size()).isPositive();
            assertThat(model.predict(new float[16])).hasSize(3);
            assertThat(idle.input().size()).isEqualTo(256 * 256);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** A convolution from one channel to eight, whose outputs take 2 MiB for each image. */
    private static ModelFile wide() {
        GraphBuilder net = new GraphBuilder(1, 256, 256);
        Graph graph = net.output(net.maxPool(net.convolution(net.input(), Convolution.same(8, 3)), 256, 256));
        return Reference.random(graph).toModelFile();
    }

    private void loadsMeasuredWith(long bytes) {
        try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - bytes);
                Model model =
                        new GpuEngine().load(wide(), CUDA.withProtection(Protection.of(Protection.Mode.GUIDED)))) {
            assertThat(others.size()).isPositive();
            assertThat(model.output().size()).isEqualTo(8);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** 64 images would take 128 MiB of outputs, where no batch has more than one. */
    @Test
    void aPlanIsMeasuredForNoMoreRowsThanABatchHas() {
        System.setProperty(NetworkSettings.ARENA.key(), "1");
        try (Model model = new GpuEngine().load(wide(), CUDA.withProtection(Protection.of(Protection.Mode.GUIDED)))) {
            assertThat(model.output().size()).isEqualTo(8);
            assertThat(CountedMemory.largest()).isBetween(2L << 20, 4L << 20);
        } finally {
            System.clearProperty(NetworkSettings.ARENA.key());
        }
    }

    @Test
    void aPlanIsMeasuredForHalfOfTheRowsWithoutRoomForAll() {
        assumeMemoryIsOursAlone();
        loadsMeasuredWith(16 << 20);
    }

    @Test
    void aLayerWithoutRoomToMeasureOneRowIsNamed() {
        assumeMemoryIsOursAlone();
        assertThatThrownBy(() -> loadsMeasuredWith(1 << 20))
                .isInstanceOf(ModelException.class)
                .hasMessageMatching(
                        "gpu cannot load the model of .* on " + device.gpu
                                + ": Conv '.*' for a batch of 1: cuMemAlloc of [0-9]* bytes failed: CUDA_ERROR_OUT_OF_MEMORY; .*");
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** What checks find needs memory before a batch does. */
    @Test
    void aLaneTakesTheMemoryOfIdleModels() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(16), 3));
        ModelOptions global = CUDA.withProtection(Protection.of(Protection.Mode.GLOBAL));
        try (Model model = new GpuEngine().load(graph.toModelFile(), global)) {
            GpuModel.forgetIdleLanes(device.gpu);
            try (Model idle = idle();
                    DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes())) {
                assertThat(others.size()).isPositive();
                assertThat(model.predict(new float[16])).hasSize(3);
                assertThat(idle.input().size()).isEqualTo(256 * 256);
            }
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** Its stream may still have work of that batch. */
    @Test
    void whatABatchHasFailedInIsNotUsedAgain() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(16), 3));
        try (Model model = new GpuEngine().load(graph.toModelFile(), CUDA)) {
            GpuModel.forgetIdleLanes(device.gpu);
            Used weights = CountedMemory.used();
            FloatBuffer readOnly = Model.direct(3).asReadOnlyBuffer();
            assertThatThrownBy(() -> ((GpuModel) model).compute(1, Model.direct(16), readOnly))
                    .isInstanceOf(ReadOnlyBufferException.class);
            assertThat(CountedMemory.used()).isEqualTo(weights);
            assertThat(model.predict(new float[16])).hasSize(3);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    /** What is on the GPU is not on the heap as well. */
    @Test
    void aLoadedModelKeepsNoWeightsOnTheHeap() throws InterruptedException {
        List<WeakReference<Step>> layers = new ArrayList<>();
        try (Model model = loaded(layers)) {
            for (int i = 0; i < 100 && layers.stream().anyMatch(layer -> layer.get() != null); i++) {
                System.gc();
                Thread.sleep(20);
            }
            assertThat(layers).hasSize(4).allMatch(layer -> layer.get() == null);
            assertThat(model.predict(new float[100])).hasSize(3);
        }
    }

    /** A product, a convolution in groups, and constants that are multiplied and added: what has values. */
    private static Model loaded(List<WeakReference<Step>> layers) {
        GraphBuilder net = new GraphBuilder(4, 5, 5);
        GraphBuilder.Value grouped =
                net.convolution(net.input(), Convolution.same(4, 3).groups(2));
        GraphBuilder.Value normal = net.batchNorm(net.maxPool(grouped, 1, 1));
        Graph graph = Reference.random(net.output(net.linear(net.flatten(normal), 3)));
        NetworkPlan plan = Planner.plan(graph, io.paritas.gpu.nn.Precision.SINGLE);
        plan.steps().stream()
                .filter(step -> step.isLayer() || step instanceof Step.Combine)
                .map(WeakReference::new)
                .forEach(layers::add);
        return GpuModel.load(graph.input(), graph.output(), plan, new GpuModel.Limits(1, 512L << 20));
    }

    @Test
    void aBatchWhoseHalfHasNoRoomFailsAndALaterOneRuns() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        int rows = 32;
        float[] inputs = Reference.rows(graph, rows);
        long half = Planner.plan(graph, io.paritas.gpu.nn.Precision.SINGLE)
                .arena(rows / 2)
                .bytes();
        try (Model model = new GpuEngine().load(graph.toModelFile(), CUDA)) {
            try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - half / 2)) {
                assertThat(others.size()).isPositive();
                assertThatThrownBy(() -> model.predict(inputs))
                        .isInstanceOf(ModelException.class)
                        .hasMessageStartingWith(
                                "gpu cannot predict 32 rows of " + model.input() + " into " + model.output() + " on "
                                        + device.gpu + ": 16 of them have no room, either: cuMemAlloc of ")
                        .hasMessageContaining(" bytes failed: CUDA_ERROR_OUT_OF_MEMORY; ")
                        .hasMessageEndingWith(
                                " MiB of the GPU are free: predict fewer rows at once (on Spark, with the option"
                                        + " batchRows), lower io.paritas.gpu.network.arena or lanes, or let fewer processes share"
                                        + " the GPU");
            }
            assertThat(model.predict(inputs)).hasSize(rows * 10);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    @Test
    void oneRowHasNoHalf() {
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        try (Model model = new GpuEngine().load(graph.toModelFile(), CUDA)) {
            GpuModel.forgetIdleLanes(device.gpu);
            CountedMemory.allow(0);
            assertThatThrownBy(() -> model.predict(Reference.rows(graph, 1)))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("gpu cannot predict 1 rows of " + model.input() + " into " + model.output()
                            + " on " + device.gpu + ": ")
                    .hasMessageNotContaining("of them");
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    @Test
    void aModelWhoseWeightsHaveNoRoomIsNotLoaded() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - (1 << 16))) {
            assertThat(others.size()).isPositive();
            assertThatThrownBy(() -> new GpuEngine().load(graph.toModelFile(), CUDA))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("gpu cannot load the model of ")
                    .hasMessageContaining(" bytes failed: CUDA_ERROR_OUT_OF_MEMORY; ")
                    .hasMessageNotContaining("of them");
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }

    @ParameterizedTest
    @EnumSource(
            value = Protection.Mode.class,
            names = {"OFF", "GLOBAL"})
    void whereverMemoryEndsNothingIsLeft(Protection.Mode mode) {
        ModelFile file = TestGraphs.small(Reference.SEED).toModelFile();
        int failures = CountedMemory.runShortOfMemory(() -> {
            try (Model model = new GpuEngine().load(file, CUDA.withProtection(Protection.of(mode)))) {
                predict(model, MOST_ROWS);
            }
        });
        assertThat(failures).isGreaterThan(10);
    }

    /** The lane has room for many rows, but none for as many stored ones. */
    @Test
    void storedRowsWithoutRoomRunInHalves() {
        assumeMemoryIsOursAlone();
        Graph graph = Reference.random(Networks.mlp(List.of(1, 28, 28), 10));
        int rows = 32;
        int size = graph.input().size();
        ByteBuffer bytes = ByteBuffer.allocate(rows * size);
        new Random(Reference.SEED).nextBytes(bytes.array());
        StoredRows stored = new StoredRows(rows, StoredRows.Type.UINT8, bytes, List.of(1f), List.of(0f));
        float[] inputs = new float[rows * size];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = bytes.get(i) & 0xff;
        }
        try (Model model = new GpuEngine().load(graph.toModelFile(), CUDA)) {
            float[] expected = model.predict(inputs);
            try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes() - rows * size + 1)) {
                assertThat(others.size()).isPositive();
                FloatBuffer outputs = Model.direct(expected.length);
                model.storedInput().orElseThrow().predict(stored, outputs);
                float[] predicted = new float[expected.length];
                outputs.flip().get(predicted);
                assertThat(predicted).isEqualTo(expected);
            }
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }
}
