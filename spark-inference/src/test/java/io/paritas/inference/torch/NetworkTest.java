/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.torch.Network.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What networks of both formats do when they are trained, or trained through. */
class NetworkTest {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Graph GRAPH = normalised(0);

    /** The same network in the formats that can be trained. */
    enum Format {
        ONNX,
        TORCHSCRIPT;

        ModelFile file(Graph graph) {
            return this == ONNX ? graph.toModelFile() : TorchScripts.write(graph);
        }
    }

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    /** From (1, 8, 8) to (5): normalisation, a residual, both pools, a dropout where its probability is not 0. */
    static Graph normalised(float dropout) {
        GraphBuilder graph = new GraphBuilder(1, 8, 8);
        Value first = graph.relu(graph.batchNorm(
                graph.convolution(graph.input(), Convolution.same(4, 3).withoutBias())));
        Value second = graph.sum(first, graph.convolution(first, Convolution.same(4, 3)));
        Value pooled = graph.averagePool(graph.maxPool(second, 2, 2), 2, 1);
        Value flat = graph.flatten(pooled);
        Value kept = dropout == 0 ? flat : graph.dropout(flat, dropout);
        return Initialisation.PYTORCH.apply(graph.output(graph.linear(graph.hidden(kept, 16), 5)), 3);
    }

    private static Network fresh(Format format, long seed) {
        return TrainableNetworks.fresh(format.file(GRAPH), Initialisation.PYTORCH, seed, Device.CPU);
    }

    private static Network frozen(Format format, Graph graph) {
        return TrainableNetworks.frozen(format.file(graph), Device.CPU);
    }

    private static Tensor images(int rows, int from) {
        float[] all = TestGraphs.values((from + rows) * 64);
        return Tensor.of(Device.CPU, Arrays.copyOfRange(all, from * 64, all.length), rows, 1, 8, 8);
    }

    private static float[] predict(Network network, Mode mode) {
        try (Scope scope = Scope.withoutGradients()) {
            return network.forward(images(6, 0), mode).values();
        }
    }

    private static void train(Network network, int steps) {
        try (Optimizer optimizer = Optimizer.adam(network.parameters(), 1e-3, 1e-5)) {
            for (int i = 0; i < steps; i++) {
                try (Scope scope = Scope.open()) {
                    Tensor outputs = network.forward(images(8, i % 7), Mode.TRAINING);
                    optimizer.step(
                            outputs.crossEntropy(Tensor.ofClasses(Device.CPU, new int[] {0, 1, 2, 3, 4, 0, 1, 2})));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void runningStatisticsMoveInTrainingOnly(Format format) {
        try (Network network = fresh(format, 1)) {
            float[] before = predict(network, Mode.INFERENCE);
            assertThat(predict(network, Mode.INFERENCE)).containsExactly(before);
            float[] batch = predict(network, Mode.TRAINING);
            assertThat(batch).isNotEqualTo(before);
            assertThat(predict(network, Mode.INFERENCE)).isNotEqualTo(before).isNotEqualTo(batch);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFrozenNetworkIsAlwaysInInferenceMode(Format format) {
        try (Network network = frozen(format, normalised(0.5f))) {
            float[] before = predict(network, Mode.INFERENCE);
            assertThat(predict(network, Mode.TRAINING)).containsExactly(before);
            assertThat(predict(network, Mode.INFERENCE)).containsExactly(before);
            assertThat(network.parameters()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void dropoutDropsInTrainingOnly(Format format) {
        GraphBuilder builder = new GraphBuilder(64);
        Value hidden = builder.linear(builder.input(), 64);
        Graph graph = builder.output(builder.dropout(hidden, 0.25f));
        try (Network network = TrainableNetworks.fresh(format.file(graph), Initialisation.PYTORCH, 1, Device.CPU);
                Scope scope = Scope.withoutGradients()) {
            LibTorch.seed(1);
            Tensor rows = Tensor.of(Device.CPU, TestGraphs.values(64 * 64), 64, 64);
            float[] whole = network.forward(rows, Mode.INFERENCE).values();
            float[] dropped = network.forward(rows, Mode.TRAINING).values();
            int zeros = 0;
            for (int i = 0; i < whole.length; i++) {
                zeros += dropped[i] == 0 ? 1 : 0;
                assertThat(dropped[i] == 0 || Math.abs(dropped[i] - whole[i] / 0.75f) < 1e-5)
                        .isTrue();
            }
            assertThat(zeros / (double) whole.length).isCloseTo(0.25, within(0.03));
            assertThat(network.forward(rows, Mode.INFERENCE).values()).containsExactly(whole);
        }
    }

    @ParameterizedTest
    @EnumSource
    void gradientsFlowThroughAFrozenNetworkAndLeaveItAsItIs(Format format) {
        GraphBuilder front = new GraphBuilder(1, 8, 8);
        Graph encoder = front.output(front.convolution(front.input(), Convolution.same(1, 3)));
        try (Network base = frozen(format, GRAPH);
                Network input = TrainableNetworks.fresh(format.file(encoder), Initialisation.XAVIER, 1, Device.CPU);
                Optimizer optimizer = Optimizer.adam(input.parameters(), 1e-2, 0)) {
            byte[] before = base.toModelFile().bytes();
            float first = 0;
            float last = 0;
            for (int i = 0; i < 20; i++) {
                try (Scope scope = Scope.open()) {
                    Tensor images = images(8, 0);
                    Tensor wanted = base.forward(images, Mode.INFERENCE).detach();
                    Tensor loss = base.forward(input.forward(images, Mode.TRAINING), Mode.TRAINING)
                            .meanSquaredError(wanted);
                    optimizer.step(loss);
                    last = loss.value();
                    first = i == 0 ? last : first;
                }
            }
            assertThat(last).isLessThan(first / 2);
            assertThat(base.toModelFile().bytes()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void equalSeedsTrainEqualWeights(Format format) {
        assertThat(trained(format, 5).sha256())
                .isEqualTo(trained(format, 5).sha256())
                .isNotEqualTo(trained(format, 6).sha256());
    }

    /** oneDNN read memory that nobody had written. Here it has NaN in it, as others leave it behind in time. */
    @ParameterizedTest
    @EnumSource
    void whatOthersHaveLeftInMemoryDoesNotCount(Format format) {
        ModelFile before = trained(format, 5);
        for (int turn = 0; turn < 20; turn++) {
            leaveNanInMemory();
            assertThat(trained(format, 5).sha256()).isEqualTo(before.sha256());
        }
    }

    private static void leaveNanInMemory() {
        try (Scope scope = Scope.withoutGradients()) {
            for (int size = 16; size <= 1 << 14; size += size / 4) {
                float[] values = new float[size];
                Arrays.fill(values, Float.NaN);
                for (int i = 0; i < 20; i++) {
                    Tensor.of(Device.CPU, values, size);
                }
            }
        }
    }

    private static ModelFile trained(Format format, long seed) {
        try (Network network = fresh(format, seed)) {
            train(network, 10);
            return network.toModelFile();
        }
    }

    @ParameterizedTest
    @EnumSource
    void trainingsAtOnceTrainWhatTheyTrainAlone(Format format) throws Exception {
        ModelFile one = trained(format, 5);
        ModelFile two = trained(format, 6);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Callable<ModelFile>> trainings = new ArrayList<>();
            for (long seed = 5; seed <= 6; seed++) {
                long own = seed;
                trainings.add(() -> {
                    LibTorch.start(Device.CPU, 1);
                    return trained(format, own);
                });
            }
            List<Future<ModelFile>> trained = threads.invokeAll(trainings);
            assertThat(trained.get(0).get().sha256()).isEqualTo(one.sha256());
            assertThat(trained.get(1).get().sha256()).isEqualTo(two.sha256());
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNetworkTakesTheWeightsOfAnotherOfTheSameKind(Format format) {
        ModelFile trained = trained(format, 5);
        try (Network network = fresh(format, 6);
                Network expected = TrainableNetworks.frozen(trained, Device.CPU)) {
            network.load(trained);
            assertThat(predict(network, Mode.INFERENCE)).containsExactly(predict(expected, Mode.INFERENCE));
            assertThat(network.toModelFile().sha256()).isEqualTo(trained.sha256());
            GraphBuilder wider = new GraphBuilder(1, 8, 8);
            Graph other = wider.output(wider.linear(wider.flatten(wider.input()), 5));
            assertThatThrownBy(() -> network.load(format.file(other)))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("weights can be taken only from the same network: this one has {")
                    .hasMessageEndingWith(", the other {fc1.bias=[5], fc1.weight=[5, 64]}");
            assertThat(network.toModelFile().sha256()).isEqualTo(trained.sha256());
        }
    }

    @ParameterizedTest
    @EnumSource
    void trainingLeaksNothing(Format format) throws IOException {
        assumeTrue(Files.isReadable(STATUS), "skipped: this system has no " + STATUS);
        long[] growth = new long[5];
        try (Network network = fresh(format, 1)) {
            train(network, 200);
            for (int round = 0; round < growth.length; round++) {
                long before = residentKilobytes();
                train(network, 100);
                growth[round] = residentKilobytes() - before;
            }
        }
        assertThat(Arrays.stream(growth).sorted().toArray()[growth.length / 2])
                .as("kB that 100 steps keep, of %s", Arrays.toString(growth))
                .isLessThan(1024);
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
}
