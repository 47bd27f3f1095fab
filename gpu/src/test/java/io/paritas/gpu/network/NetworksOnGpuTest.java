/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.paritas.gpu.Device;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.Networks.DecoderLayers;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole networks beside ONNX Runtime. Those that take the emulator minutes are tested narrower, or on smaller images;
 * {@code -Dio.paritas.test.networks=published} tests all as published.
 */
@Tag("kernels")
class NetworksOnGpuTest {
    private static final boolean PUBLISHED = "published".equals(System.getProperty("io.paritas.test.networks"));

    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    static Stream<Arguments> networks() {
        return Stream.concat(
                Arrays.stream(NetworkName.values()).map(name -> arguments(name.toString(), network(name))),
                Stream.of(
                        arguments("dlrm-bottom", Networks.dlrmBottom()),
                        arguments("dlrm-top", Networks.dlrmTop()),
                        arguments("mlp-encoder", Networks.mlpEncoder(2, 1, 49)),
                        arguments("conv-encoder", Networks.convEncoder(2, 2, 9, 11)),
                        arguments("decoder", Networks.decoderMlp(2, 1, 10, DecoderLayers.PROGRAM))));
    }

    private static Graph network(NetworkName name) {
        if (PUBLISHED || isSmall(name)) {
            return name.build();
        }
        return switch (name) {
            case LENET_SPEECH -> Networks.lenetSpeech(List.of(1, 29, 23), 30);
            case VGG11_SPEECH -> Networks.vgg11(List.of(1, 33, 32), 30);
            case RESNET18 -> Networks.resNet18(List.of(3, 28, 28), 10, 8);
            case RESNET18_NARROW -> Networks.resNet18(List.of(3, 16, 16), 10, 16);
            case RESNET152_BASIC -> Networks.resNet152(List.of(3, 8, 8), 100, 4);
            default -> throw new AssertionError(name + " is small");
        };
    }

    /** Whether the emulator runs it in a second as published. */
    private static boolean isSmall(NetworkName name) {
        return !List.of(
                        NetworkName.LENET_SPEECH,
                        NetworkName.VGG11_SPEECH,
                        NetworkName.RESNET18,
                        NetworkName.RESNET18_NARROW,
                        NetworkName.RESNET152_BASIC)
                .contains(name);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("networks")
    void everyNetworkPredictsWhatOnnxRuntimeDoes(String name, Graph graph) {
        Reference.check(name, Reference.random(graph), 1);
    }

    static Stream<Arguments> folds() {
        Stream<Arguments> some = Stream.of(
                arguments(NetworkName.MLP, 2), arguments(NetworkName.LENET, 3), arguments(NetworkName.NOSCOPE_N2, 2));
        Stream<Arguments> all = Stream.of(2, 3, 4).flatMap(fold -> Stream.of(NetworkName.GAME_V1, NetworkName.GAME_V4)
                .map(name -> arguments(name, fold)));
        return Stream.concat(some, all);
    }

    @ParameterizedTest
    @MethodSource("folds")
    void everyFoldedNetworkDoes(NetworkName name, int fold) {
        Graph folded = Folding.fold(name.build(), FoldOptions.of(fold));
        Reference.check(name + " folded " + fold, Reference.random(folded), 1);
    }

    @Test
    void batchesOfEverySizeAreTheirRows() {
        Graph graph = Reference.random(Networks.resNet18(List.of(3, 8, 8), 10, 4));
        int size = graph.input().size();
        float[] inputs = Reference.rows(graph, 9);
        float[] expected = Reference.predict(graph, inputs);
        /* Each size twice and more: launched one by one, recorded, replayed; and recorded again after memory has grown. */
        try (GpuModel model = Reference.load(graph, Precision.SINGLE)) {
            for (int rows : new int[] {3, 1, 3, 2, 9, 3, 1, 9, 5, 3, 4}) {
                float[] got = model.predict(Arrays.copyOf(inputs, rows * size));
                Reference.isNear(rows + " rows", Arrays.copyOf(expected, rows * 10), got, Precision.SINGLE);
            }
        }
    }

    @Test
    void largeBatchesRunInParts() {
        Graph graph = Reference.random(Networks.mlp(List.of(16), 3));
        float[] inputs = Reference.rows(graph, 21);
        NetworkPlan plan = Planner.plan(graph, Precision.SINGLE);
        GpuModel.Limits limits = new GpuModel.Limits(1, plan.arena(4).bytes());
        assertThat(limits.rows(plan)).isEqualTo(4);
        try (GpuModel model = GpuModel.load(graph.input(), graph.output(), plan, limits)) {
            Reference.isNear("21 rows", Reference.predict(graph, inputs), model.predict(inputs), Precision.SINGLE);
        }
        assertThat(new GpuModel.Limits(1, 1).rows(plan))
                .as("one row always runs")
                .isEqualTo(1);
        assertThat(new GpuModel.Limits(1, 1L << 40).rows(plan)).isEqualTo(1024);
    }
}
