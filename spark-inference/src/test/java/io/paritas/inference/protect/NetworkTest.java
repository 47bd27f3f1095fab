/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Operators and networks against ONNX Runtime. */
class NetworkTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final int ROWS = 3;
    private static final Map<String, Graph> CASES = new LinkedHashMap<>();

    private static RawGraph image() {
        return RawGraph.of(4, 9, 7);
    }

    private static RawGraph convolution(int... kernel) {
        return image().weight("kernel", kernel)
                .weight("bias", kernel[0])
                .node("Conv", "out", "input", "kernel", "bias");
    }

    private static void add(String name, RawGraph graph) {
        CASES.put(name, random(graph.build()));
    }

    private static Graph random(Graph graph) {
        Random random = new Random(SEED);
        List<Weight> weights = new ArrayList<>();
        for (Weight weight : graph.weights().values()) {
            float[] values = new float[weight.size()];
            for (int i = 0; i < values.length; i++) {
                float drawn = (float) random.nextGaussian() / 2;
                boolean positive =
                        weight.role() == Weight.Role.VARIANCE || weight.name().equals("divisor");
                values[i] = positive ? 0.5f + Math.abs(drawn) : drawn;
            }
            if (weight.name().equals("low") || weight.name().equals("high")) {
                values[0] = weight.name().equals("low") ? -0.3f : 0.4f;
            }
            weights.add(weight.with(values));
        }
        return graph.with(weights);
    }

    static {
        for (String op : List.of("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Identity", "GlobalAveragePool")) {
            add(op, image().node(op, "out", "input"));
        }
        add("Softmax", RawGraph.of(5).node("Softmax", "out", "input"));
        add("Clip", image().weight("low").weight("high").node("Clip", "out", "input", "low", "high"));
        for (String op : List.of("Add", "Sub", "Mul", "Div")) {
            add(op + " channels", image().weight("divisor", 4, 1, 1).node(op, "out", "input", "divisor"));
            add(op + " number", image().weight("divisor").node(op, "out", "input", "divisor"));
        }
        add("Add two", image().node("Sigmoid", "other", "input").node("Add", "out", "input", "other"));
        add("Conv 1x1", convolution(5, 4, 1, 1));
        add("Conv 3x3", convolution(5, 4, 3, 3).list("pads", 1L, 1L, 1L, 1L));
        add(
                "Conv 5x3 strides",
                convolution(33, 4, 5, 3).list("pads", 2L, 0L, 1L, 1L).list("strides", 2L, 3L));
        add("Conv dilated", convolution(6, 4, 3, 3).list("pads", 2L, 2L, 2L, 2L).list("dilations", 2L, 2L));
        add("Conv groups", convolution(6, 2, 3, 3).set("group", 2));
        add("Conv depthwise", convolution(4, 1, 3, 3).set("group", 4).list("pads", 1L, 1L, 1L, 1L));
        add("Conv wide window", convolution(3, 4, 3, 7).list("pads", 1L, 5L, 1L, 5L));
        add("Conv without bias", image().weight("kernel", 3, 4, 3, 3).node("Conv", "out", "input", "kernel"));
        add(
                "Conv, BatchNormalization, Add, Relu",
                image().weight("kernel", 3, 4, 3, 3)
                        .weight("scale", 3)
                        .weight("shift", 3)
                        .weight("mean", 3)
                        .weight("variance", 3)
                        .weight("more", 3, 1, 1)
                        .node("Conv", "c", "input", "kernel")
                        .node("BatchNormalization", "n", "c", "scale", "shift", "mean", "variance")
                        .node("Add", "a", "n", "more")
                        .node("Relu", "out", "a"));
        add(
                "a convolution that two read",
                image().weight("kernel", 4, 4, 1, 1)
                        .weight("more", 4, 1, 1)
                        .node("Conv", "c", "input", "kernel")
                        .node("Add", "a", "c", "more")
                        .node("Add", "out", "a", "c"));
        add(
                "BatchNormalization",
                image().weight("scale", 4)
                        .weight("shift", 4)
                        .weight("mean", 4)
                        .weight("variance", 4)
                        .node("BatchNormalization", "out", "input", "scale", "shift", "mean", "variance"));
        for (String pool : List.of("MaxPool", "AveragePool")) {
            add(
                    pool,
                    image().node(pool, "out", "input")
                            .list("kernel_shape", 2L, 3L)
                            .list("strides", 2L, 1L));
            add(
                    pool + " padded",
                    image().node(pool, "out", "input")
                            .list("kernel_shape", 3L, 3L)
                            .list("pads", 1L, 1L, 1L, 1L));
        }
        add(
                "MaxPool up",
                image().node("MaxPool", "out", "input")
                        .list("kernel_shape", 2L, 2L)
                        .list("strides", 2L, 2L)
                        .set("ceil_mode", 1));
        add(
                "AveragePool with padding",
                image().node("AveragePool", "out", "input")
                        .list("kernel_shape", 3L, 3L)
                        .list("pads", 1L, 1L, 1L, 1L)
                        .set("count_include_pad", 1));
        for (int opset : new int[] {17, 19}) {
            add(
                    "AveragePool up, with padding, in version " + opset,
                    RawGraph.withOpset(opset, 4, 9, 8)
                            .node("AveragePool", "out", "input")
                            .list("kernel_shape", 3L, 4L)
                            .list("strides", 3L, 3L)
                            .list("pads", 2L, 1L, 0L, 0L)
                            .set("ceil_mode", 1)
                            .set("count_include_pad", 1));
        }
        add("Gemm", RawGraph.of(5).weight("w", 5, 7).weight("b", 7).node("Gemm", "out", "input", "w", "b"));
        add(
                "Gemm transposed, scaled",
                RawGraph.of(5)
                        .weight("w", 7, 5)
                        .weight("b", 7)
                        .node("Gemm", "out", "input", "w", "b")
                        .set("transB", 1)
                        .number("alpha", 0.5f)
                        .number("beta", 2));
        add(
                "MatMul, Add",
                RawGraph.of(5)
                        .weight("w", 5, 7)
                        .weight("b", 7)
                        .node("MatMul", "p", "input", "w")
                        .node("Add", "out", "p", "b"));
        add("Flatten", image().node("Flatten", "out", "input"));
        add("Reshape", image().integers("to", 0, 2, 6, 21).node("Reshape", "out", "input", "to"));
        add(
                "Concat",
                image().node("Relu", "r", "input")
                        .node("Concat", "out", "input", "r")
                        .set("axis", 1));
    }

    static List<String> cases() {
        return List.copyOf(CASES.keySet());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isWhatOnnxRuntimeComputes(String name) {
        Graph graph = CASES.get(name);
        float[] inputs = TestGraphs.values(ROWS * graph.input().size());
        for (Mode mode : List.of(Mode.OFF, Mode.GLOBAL, Mode.THREAD)) {
            try (Model model = load(graph, mode)) {
                assertThat(model.predict(inputs)).containsExactly(Ort.run(graph, inputs, ROWS), within(1e-5f));
            }
        }
    }

    private static Model load(Graph graph, Mode mode) {
        return new ProtectedEngine()
                .load(graph.toModelFile(), ModelOptions.DEFAULT.withProtection(Protection.of(mode)));
    }

    @ParameterizedTest
    @EnumSource(
            value = NetworkName.class,
            names = {"LENET", "MLP", "GAME_V1"},
            mode = EnumSource.Mode.INCLUDE)
    void publishedNetworksAreWhatOnnxRuntimeComputes(NetworkName name) {
        requireSame(Initialisation.PYTORCH.apply(name.build(), SEED), 2);
    }

    @Test
    void residualNetworksAreWhatOnnxRuntimeComputes() {
        requireSame(Initialisation.PYTORCH.apply(Networks.resNet18(List.of(3, 32, 32), 10, 2), SEED), 2);
    }

    private static void requireSame(Graph graph, int rows) {
        float[] inputs = TestGraphs.values(rows * graph.input().size());
        float[] expected = Ort.run(graph, inputs, rows);
        float largest = 0;
        for (float value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (Mode mode : Mode.values()) {
            try (Model model = load(graph, mode);
                    LayerFindings found = LayerFindings.open()) {
                assertThat(model.predict(inputs)).as("%s", mode).containsExactly(expected, within(1e-5f * largest));
                ProtectionCounts counts = found.counts();
                assertThat(counts.detections()).isZero();
                assertThat(counts.unchecked()).isZero();
                assertThat(counts.checks() > 0).isEqualTo(mode != Mode.OFF);
            }
        }
    }

    @Test
    void refusesWhatItDoesNotProtectByItsName() {
        Graph padded = image().integers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
                .node("Pad", "out", "input", "pads")
                .build();
        assertThatThrownBy(() -> load(padded, Mode.GLOBAL))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("only networks of [Add, AveragePool,")
                .hasMessageEndingWith("are protected, this one has Pad 'out': run it unprotected, with another engine");
        refuses(image().node("Softmax", "out", "input"), "Softmax 'out' must have rows that are vectors");
    }

    @Test
    void refusesProductsOfTheLinesOfAnImage() {
        refuses(
                image().weight("w", 7, 5).node("MatMul", "out", "input", "w"),
                "MatMul 'out' must have rows that are vectors");
    }

    @Test
    void refusesConstantsThatMakeChannels() {
        refuses(
                RawGraph.of(1, 9, 7).weight("w", 4, 1, 1).node("Mul", "out", "input", "w"),
                "Mul 'out' must have one constant for all values, or one for each channel");
        refuses(
                RawGraph.of(1).weight("w", 5).node("Add", "out", "w", "input"),
                "Add 'out' must have one constant for all values, or one for each channel");
    }

    private static void refuses(RawGraph graph, String sentence) {
        assertThatThrownBy(() -> load(graph.build(), Mode.GLOBAL))
                .isInstanceOf(ModelException.class)
                .hasMessageEndingWith(
                        "in a protected network, " + sentence + ": run it unprotected, with another engine");
    }

    /** Values that are read no more make room for later ones. */
    @Test
    void buffersAreFewHoweverDeepTheNetwork() {
        RawGraph chain = image();
        String last = "input";
        for (int i = 0; i < 20; i++) {
            chain.node("Relu", "value" + i, last);
            last = "value" + i;
        }
        assertThat(NetworkBuilder.build(chain.build()).buffers()).isEqualTo(2);
        assertThat(NetworkBuilder.build(Networks.resNet18(List.of(3, 32, 32), 10, 2))
                        .buffers())
                .isLessThanOrEqualTo(4);
    }

    /** The input is read once more at the end, and the result is made before what nobody reads. */
    @Test
    void valuesThatAreStillReadKeepTheirBuffers() {
        Graph graph = image().node("Sigmoid", "a", "input")
                .node("Tanh", "b", "a")
                .node("Relu", "c", "b")
                .node("Add", "d", "c", "input")
                .node("Add", "out", "d", "a")
                .node("Sigmoid", "unread", "out")
                .node("Tanh", "unread too", "b")
                .build();
        float[] inputs = TestGraphs.values(ROWS * graph.input().size());
        try (Model model = load(graph, Mode.GLOBAL)) {
            float[] expected = Ort.run(graph, inputs, ROWS);
            assertThat(model.predict(inputs)).containsExactly(expected, within(1e-6f));
            assertThat(model.predict(inputs)).containsExactly(expected, within(1e-6f));
        }
    }
}
