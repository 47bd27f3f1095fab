/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.torch.Network.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator, run and written as a program, against ONNX Runtime. */
class OperatorTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final int ROWS = 3;
    private static final Map<String, Graph> CASES = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    private static void add(String name, RawGraph graph) {
        CASES.put(name, withRandomWeights(graph.build()));
    }

    /** Scalars are settings: {@code low} and {@code high} of a clip, {@code value} of a padding, … */
    private static Graph withRandomWeights(Graph graph) {
        Random random = new Random(SEED);
        Map<String, Float> settings = Map.of("low", -0.4f, "high", 0.6f, "value", 0.25f, "ratio", 0.5f);
        Collection<Weight> weights = new ArrayList<>();
        for (Weight weight : graph.weights().values()) {
            float[] values = new float[weight.size()];
            for (int i = 0; i < values.length; i++) {
                float drawn = (float) random.nextGaussian() / 2;
                values[i] =
                        weight.role() == Weight.Role.VARIANCE || weight.name().equals("divisor")
                                ? 0.5f + Math.abs(drawn)
                                : settings.getOrDefault(weight.name(), drawn);
            }
            weights.add(weight.with(values));
        }
        return graph.with(weights);
    }

    static {
        for (String op : List.of("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Identity", "GlobalAveragePool", "Softmax")) {
            add(op, image().node(op, "out", "input"));
        }
        add("LeakyRelu alpha", image().node("LeakyRelu", "out", "input").number("alpha", 0.3f));
        add("Softmax axis 1", image().node("Softmax", "out", "input").set("axis", 1));
        add("Softmax axis -2", image().node("Softmax", "out", "input").set("axis", -2));
        add("Softmax before 13", RawGraph.withOpset(12, 5).node("Softmax", "out", "input"));
        for (String op : List.of("Add", "Sub", "Mul", "Div")) {
            add(op + " channels", image().weight("divisor", 2, 1, 1).node(op, "out", "input", "divisor"));
            add(op + " number", image().weight("divisor").node(op, "out", "input", "divisor"));
            add(op + " a row for all", image().weight("divisor", 1, 2, 7, 6).node(op, "out", "input", "divisor"));
            add(op + " two values", image().node("Sigmoid", "other", "input").node(op, "out", "input", "other"));
        }
        add("Sub from a weight", image().weight("held", 2, 1, 1).node("Sub", "out", "held", "input"));
        add("Add twice the same", image().node("Relu", "r", "input").node("Add", "out", "r", "r"));
        convolutions();
        pools();
        reshapes();
        matrices();
        settings();
    }

    private static RawGraph image() {
        return RawGraph.of(2, 7, 6);
    }

    private static RawGraph convolution() {
        return image().weight("k", 4, 2, 3, 3).weight("b", 4).node("Conv", "out", "input", "k", "b");
    }

    private static void convolutions() {
        add("Conv", convolution());
        add("Conv without bias", image().weight("k", 4, 2, 3, 3).node("Conv", "out", "input", "k"));
        add("Conv strides", convolution().list("strides", 2L, 1L));
        add("Conv pads", convolution().list("pads", 1L, 2L, 1L, 2L));
        add("Conv asymmetric pads", convolution().list("pads", 0L, 1L, 2L, 0L).list("strides", 2L, 2L));
        add("Conv dilations", convolution().list("dilations", 2L, 1L).list("pads", 2L, 1L, 2L, 1L));
        add("Conv VALID", convolution().text("auto_pad", "VALID"));
        add("Conv SAME_UPPER", convolution().text("auto_pad", "SAME_UPPER").list("strides", 1L, 2L));
        add(
                "Conv groups",
                image().weight("k", 4, 1, 3, 2)
                        .node("Conv", "out", "input", "k")
                        .set("group", 2)
                        .list("kernel_shape", 3L, 2L));
        add(
                "BatchNormalization",
                image().weight("s", 2)
                        .weight("t", 2)
                        .weight("m", 2)
                        .weight("v", 2)
                        .node("BatchNormalization", "out", "input", "s", "t", "m", "v")
                        .number("epsilon", 1e-3f));
        add("Pad", image().integers("pads", 0, 0, 1, 2, 0, 0, 3, 0).node("Pad", "out", "input", "pads"));
        add(
                "Pad channels with a value",
                image().integers("pads", 0, 1, 0, 0, 0, 2, 0, 1)
                        .weight("value")
                        .node("Pad", "out", "input", "pads", "value")
                        .text("mode", "constant"));
        add(
                "Pad attribute",
                RawGraph.withOpset(10, 2, 7, 6)
                        .node("Pad", "out", "input")
                        .list("pads", 0L, 0L, 1L, 0L, 0L, 0L, 0L, 2L)
                        .number("value", -1.5f));
    }

    private static RawGraph pool(String op) {
        return image().node(op, "out", "input").list("kernel_shape", 3L, 2L);
    }

    private static void pools() {
        for (String op : List.of("MaxPool", "AveragePool")) {
            add(op, pool(op));
            add(op + " strides", pool(op).list("strides", 2L, 3L));
            add(op + " pads", pool(op).list("strides", 2L, 2L).list("pads", 1L, 1L, 1L, 1L));
            add(op + " ceil", pool(op).list("strides", 3L, 4L).set("ceil_mode", 1));
            add(
                    op + " ceil pads",
                    pool(op).list("strides", 2L, 2L)
                            .list("pads", 1L, 1L, 1L, 1L)
                            .set("ceil_mode", 1));
        }
        add(
                "MaxPool asymmetric pads",
                pool("MaxPool").list("pads", 0L, 1L, 2L, 0L).list("strides", 2L, 2L));
        add(
                "MaxPool VALID leaves pads out",
                pool("MaxPool").list("pads", 1L, 1L, 1L, 1L).text("auto_pad", "VALID"));
        add("MaxPool dilations", pool("MaxPool").list("dilations", 2L, 3L));
        add(
                "MaxPool pads of dilated windows",
                image().node("MaxPool", "out", "input")
                        .list("kernel_shape", 3L, 3L)
                        .list("dilations", 2L, 2L)
                        .list("pads", 2L, 2L, 2L, 2L));
        add("MaxPool wide pads", pool("MaxPool").list("pads", 2L, 0L, 2L, 0L).list("strides", 2L, 2L));
        add("MaxPool wide asymmetric pads", pool("MaxPool").list("pads", 2L, 1L, 0L, 1L));
        add(
                "AveragePool counts wide pads",
                pool("AveragePool").list("pads", 2L, 1L, 2L, 1L).set("count_include_pad", 1));
        add("GlobalAveragePool of lines", RawGraph.of(3, 8).node("GlobalAveragePool", "out", "input"));
        add("GlobalAveragePool of volumes", RawGraph.of(2, 3, 4, 5).node("GlobalAveragePool", "out", "input"));
        add(
                "AveragePool counts pads",
                pool("AveragePool").list("pads", 1L, 1L, 1L, 1L).set("count_include_pad", 1));
        for (int opset : new int[] {17, 19}) {
            add(
                    "AveragePool ceil counts pads in version " + opset,
                    RawGraph.withOpset(opset, 2, 7, 6)
                            .node("AveragePool", "out", "input")
                            .list("kernel_shape", 4L, 3L)
                            .list("strides", 3L, 2L)
                            .list("pads", 1L, 1L, 1L, 1L)
                            .set("ceil_mode", 1)
                            .set("count_include_pad", 1));
        }
        for (long keep = 0; keep < 2; keep++) {
            add(
                    "ReduceMean keeps " + keep,
                    image().node("ReduceMean", "out", "input")
                            .list("axes", 2L, 3L)
                            .set("keepdims", keep));
            add(
                    "ReduceMean axes as input keeps " + keep,
                    RawGraph.withOpset(18, 2, 7, 6)
                            .integers("axes", -1, 1)
                            .node("ReduceMean", "out", "input", "axes")
                            .set("keepdims", keep));
        }
    }

    private static void reshapes() {
        add("Flatten", image().node("Flatten", "out", "input"));
        add("Reshape 0 -1", reshape(0, -1));
        add("Reshape -1 n", reshape(-1, 84));
        add("Reshape 1 -1 of a fixed batch", reshape(1, -1));
        add("Reshape 0 0 -1", reshape(0, 0, -1));
        add("Reshape -1 3 28", reshape(-1, 3, 28));
        add(
                "Concat channels",
                image().node("Relu", "r", "input")
                        .node("Concat", "out", "input", "r", "input")
                        .set("axis", 1));
        add(
                "Concat last",
                image().node("Relu", "r", "input")
                        .node("Concat", "out", "r", "input")
                        .set("axis", -1));
    }

    private static RawGraph reshape(long... target) {
        return image().integers("target", target).node("Reshape", "out", "input", "target");
    }

    private static void matrices() {
        add("Gemm", RawGraph.of(5).weight("w", 5, 4).weight("b", 4).node("Gemm", "out", "input", "w", "b"));
        add(
                "Gemm transB",
                RawGraph.of(5)
                        .weight("w", 4, 5)
                        .weight("b", 4)
                        .node("Gemm", "out", "input", "w", "b")
                        .set("transB", 1));
        add(
                "Gemm transB without bias",
                RawGraph.of(5)
                        .weight("w", 4, 5)
                        .node("Gemm", "out", "input", "w")
                        .set("transB", 1));
        add(
                "Gemm transB with a row as bias",
                RawGraph.of(5)
                        .weight("w", 4, 5)
                        .weight("b", 1, 4)
                        .node("Gemm", "out", "input", "w", "b")
                        .set("transB", 1));
        add(
                "MatMul and Add",
                RawGraph.of(5)
                        .weight("w", 5, 4)
                        .weight("b", 4)
                        .node("MatMul", "product", "input", "w")
                        .node("Add", "out", "b", "product"));
        add("MatMul of images", image().weight("w", 6, 3).node("MatMul", "out", "input", "w"));
        add(
                "one matrix for two layers",
                RawGraph.of(4)
                        .weight("w", 4, 4)
                        .node("MatMul", "one", "input", "w")
                        .node("Relu", "r", "one")
                        .node("Gemm", "out", "r", "w")
                        .set("transB", 1));
    }

    private static void settings() {
        add("Clip", image().weight("low").weight("high").node("Clip", "out", "input", "low", "high"));
        add("Clip above", image().weight("high").node("Clip", "out", "input", "", "high"));
        add("Clip below", image().weight("low").node("Clip", "out", "input", "low"));
        add(
                "Clip attributes",
                RawGraph.withOpset(10, 4)
                        .node("Clip", "out", "input")
                        .number("min", -0.1f)
                        .number("max", 0.2f));
        add("Dropout", image().weight("ratio").node("Dropout", "out", "input", "ratio"));
        add(
                "Dropout attribute",
                RawGraph.withOpset(10, 4).node("Dropout", "out", "input").number("ratio", 0.9f));
    }

    static Collection<String> names() {
        return CASES.keySet();
    }

    @Test
    void everyOperatorIsTested() {
        assertThat(CASES.values().stream()
                        .flatMap(graph -> graph.nodes().stream())
                        .map(Node::op)
                        .toList())
                .containsAll(Operator.KNOWN.keySet());
    }

    @ParameterizedTest
    @MethodSource("names")
    void computesWhatOnnxRuntimeComputes(String name) {
        Graph graph = CASES.get(name);
        float[] inputs = inputs(graph);
        try (GraphNetwork network = GraphNetwork.frozen(graph, Device.CPU);
                Scope scope = Scope.withoutGradients()) {
            Tensor rows = Tensor.of(Device.CPU, inputs, batch(graph));
            assertClose(network.forward(rows, Mode.INFERENCE).values(), expected(graph, inputs));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void aProgramComputesWhatOnnxRuntimeComputes(String name) {
        Graph graph = CASES.get(name);
        float[] inputs = inputs(graph);
        try (Model model =
                new TorchEngine().load(TorchScripts.write(graph), ModelOptions.DEFAULT.withDevice(Device.CPU))) {
            assertClose(model.predict(inputs), expected(graph, inputs));
        }
    }

    private static void assertClose(float[] actual, float[] expected) {
        assertThat(actual).as("seed %d", SEED).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i])
                    .as("value %d, seed %d", i, SEED)
                    .isCloseTo(expected[i], within(1e-5f * Math.max(1, Math.abs(expected[i]))));
        }
    }

    /** Row by row: one graph is for batches of one only. */
    private static float[] expected(Graph graph, float[] inputs) {
        float[] all = new float[0];
        int size = graph.input().size();
        for (int i = 0; i < ROWS; i++) {
            float[] row = Arrays.copyOfRange(inputs, i * size, (i + 1) * size);
            float[] output = Ort.run(graph, row, 1);
            all = Arrays.copyOf(all, all.length + output.length);
            System.arraycopy(output, 0, all, all.length - output.length, output.length);
        }
        return all;
    }

    private static float[] inputs(Graph graph) {
        Random random = new Random(SEED + 1);
        float[] values = new float[ROWS * graph.input().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static long[] batch(Graph graph) {
        List<Integer> shape = graph.input().shape();
        long[] sizes = new long[shape.size() + 1];
        sizes[0] = ROWS;
        for (int i = 0; i < shape.size(); i++) {
            sizes[i + 1] = shape.get(i);
        }
        return sizes;
    }

    @Test
    void refusesWhatItWouldComputeDifferently() {
        refused(
                RawGraph.of(2, 9)
                        .weight("k", 4, 2, 3)
                        .node("Conv", "out", "input", "k")
                        .list("kernel_shape", 3L),
                "Conv",
                "its images must have height and width, its window has 1 dimensions");
        refused(
                pool("MaxPool").list("pads", 0L, 0L, 1L, 0L).set("ceil_mode", 1),
                "MaxPool",
                "its padding must be the same on both sides when it rounds sizes up, got [0, 0, 1, 0]");
        refused(
                pool("MaxPool").list("pads", 2L, 0L, 2L, 0L).set("ceil_mode", 1),
                "MaxPool",
                "its padding must be at most half of its window when it rounds sizes up, got [2, 0, 2, 0]");
        refused(
                pool("AveragePool").list("pads", 2L, 0L, 2L, 0L),
                "AveragePool",
                "its padding must be at most half of its window, or count and sizes be rounded down, got [2, 0, 2, 0]");
        refused(
                RawGraph.of(5).node("GlobalAveragePool", "out", "input"),
                "GlobalAveragePool",
                "its input must have dimensions beside its channels, got the shape [5]");
        refused(
                pool("AveragePool").list("pads", 0L, 0L, 1L, 0L),
                "AveragePool",
                "its padding must be the same on both sides, got [0, 0, 1, 0]");
        refused(
                RawGraph.withOpset(19, 2, 7, 6)
                        .node("AveragePool", "out", "input")
                        .list("kernel_shape", 2L, 2L)
                        .list("dilations", 2L, 2L),
                "AveragePool",
                "it must not be dilated, got [2, 2]");
        refused(image().node("Flatten", "out", "input").set("axis", 2), "Flatten", "its axis must be 1, got 2");
        refused(
                RawGraph.of(5)
                        .weight("w", 5, 4)
                        .node("Gemm", "out", "input", "w")
                        .number("alpha", 2),
                "Gemm",
                "alpha and beta must be 1 and transA 0");
        refused(
                image().integers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
                        .node("Pad", "out", "input", "pads")
                        .text("mode", "reflect"),
                "Pad",
                "its mode must be constant, got reflect");
        refused(
                RawGraph.withOpset(18, 2, 7, 6)
                        .integers("pads", 1, 1)
                        .integers("axes", 2)
                        .node("Pad", "out", "input", "pads", "", "axes"),
                "Pad",
                "it must give the padding of all axes, it names some");
        refused(
                image().node("ReduceMean", "out", "input"),
                "ReduceMean",
                "it must name its axes, and not the batch's," + " got []");
        refused(
                image().node("Concat", "out", "input", "input").set("axis", 0),
                "Concat",
                "its axis must not be the batch's, 0");
        refused(
                RawGraph.withOpset(12, 2, 7, 6).node("Softmax", "out", "input"),
                "Softmax",
                "its axis must be the last of its input, 3, in operator sets before 13; got 1");
        refused(
                image().integers("two", 2).node("Mul", "out", "input", "two"),
                "Mul",
                "its input 'two' must be float32, a weight or computed before");
        refused(
                RawGraph.of(2).node("Relu", "max", "input").node("Clip", "out", "input", "", "max"),
                "Clip",
                "its max must be a constant, the graph computes it");
    }

    private static void refused(RawGraph raw, String op, String rule) {
        Graph graph = raw.build();
        try (GraphNetwork network = GraphNetwork.frozen(graph, Device.CPU);
                Scope scope = Scope.withoutGradients()) {
            Tensor rows = Tensor.of(Device.CPU, inputs(graph), batch(graph));
            assertThatThrownBy(() -> network.forward(rows, Mode.INFERENCE))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("to run " + op + " 'out' in LibTorch, " + rule);
        }
        assertThatThrownBy(() -> TorchScripts.write(graph))
                .isInstanceOf(ModelException.class)
                .hasMessage("to run " + op + " 'out' in LibTorch, " + rule);
    }
}
