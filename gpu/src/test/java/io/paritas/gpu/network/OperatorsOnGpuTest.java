/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.paritas.gpu.Device;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.RawGraph;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator with every attribute, as exporters write them, beside ONNX Runtime. */
@Tag("kernels")
class OperatorsOnGpuTest {
    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    private static RawGraph images() {
        return RawGraph.of(4, 7, 6);
    }

    private static RawGraph convolution(int outputs, int inputs, int height, int width) {
        return images().weight("kernel", outputs, inputs, height, width)
                .weight("bias", outputs)
                .node("Conv", "conv", "input", "kernel", "bias");
    }

    static Stream<Arguments> convolutions() {
        return Stream.of(
                arguments("plain", convolution(5, 4, 3, 2)),
                arguments("padding on each side", convolution(5, 4, 3, 3).list("pads", 0L, 2L, 1L, 3L)),
                arguments(
                        "strides",
                        convolution(5, 4, 3, 3).list("strides", 2L, 3L).list("pads", 1L, 1L, 1L, 1L)),
                arguments(
                        "dilation",
                        convolution(5, 4, 3, 3).list("dilations", 2L, 1L).list("pads", 2L, 1L, 2L, 1L)),
                arguments("groups", convolution(6, 2, 3, 3).set("group", 2).list("strides", 1L, 2L)),
                arguments("depthwise", convolution(8, 1, 3, 3).set("group", 4).list("dilations", 2L, 2L)),
                arguments("one pixel", convolution(70, 4, 1, 1)),
                arguments("one pixel of some", convolution(5, 4, 1, 1).list("strides", 2L, 2L)),
                arguments("valid", convolution(5, 4, 3, 3).text("auto_pad", "VALID")),
                arguments(
                        "as many pixels",
                        convolution(5, 4, 3, 2).text("auto_pad", "SAME_LOWER").list("strides", 1L, 2L)),
                arguments("all of the image", convolution(5, 4, 7, 6)));
    }

    static Stream<Arguments> pools() {
        return Stream.of(
                arguments("max", images().node("MaxPool", "out", "input").list("kernel_shape", 3L, 2L)),
                arguments(
                        "max up",
                        images().node("MaxPool", "out", "input")
                                .list("kernel_shape", 3L, 3L)
                                .list("strides", 3L, 2L)
                                .list("pads", 1L, 0L, 0L, 0L)
                                .set("ceil_mode", 1)),
                arguments(
                        "max with gaps",
                        images().node("MaxPool", "out", "input")
                                .list("kernel_shape", 2L, 2L)
                                .list("dilations", 3L, 2L)),
                arguments(
                        "mean",
                        images().node("AveragePool", "out", "input")
                                .list("kernel_shape", 3L, 3L)
                                .list("pads", 1L, 1L, 1L, 1L)),
                arguments(
                        "mean with zeros",
                        images().node("AveragePool", "out", "input")
                                .list("kernel_shape", 3L, 3L)
                                .list("pads", 1L, 1L, 1L, 1L)
                                .set("count_include_pad", 1)),
                arguments(
                        "mean up",
                        images().node("AveragePool", "out", "input")
                                .list("kernel_shape", 2L, 4L)
                                .list("strides", 2L, 3L)
                                .set("ceil_mode", 1)),
                arguments("global", images().node("GlobalAveragePool", "out", "input")),
                arguments(
                        "then a function",
                        images().node("MaxPool", "p", "input")
                                .list("kernel_shape", 2L, 2L)
                                .node("Tanh", "out", "p")));
    }

    static Stream<Arguments> linear() {
        return Stream.of(
                arguments(
                        "gemm", RawGraph.of(9).weight("w", 9, 5).weight("b", 5).node("Gemm", "out", "input", "w", "b")),
                arguments(
                        "gemm with factors",
                        RawGraph.of(9)
                                .weight("w", 5, 9)
                                .weight("b", 1, 5)
                                .node("Gemm", "out", "input", "w", "b")
                                .set("transB", 1)
                                .number("alpha", 0.5f)
                                .number("beta", -2)),
                arguments("without bias", RawGraph.of(9).weight("w", 9, 70).node("Gemm", "out", "input", "w")),
                arguments(
                        "matmul and bias",
                        RawGraph.of(9)
                                .weight("w", 9, 5)
                                .weight("b", 5)
                                .node("MatMul", "m", "input", "w")
                                .node("Add", "out", "b", "m")),
                arguments(
                        "matmul of rows of rows",
                        RawGraph.of(3, 2, 9)
                                .weight("w", 9, 5)
                                .weight("s", 1)
                                .node("MatMul", "m", "input", "w")
                                .node("Mul", "scaled", "m", "s")
                                .node("Sigmoid", "out", "scaled")));
    }

    static Stream<Arguments> elements() {
        return Stream.of(
                arguments("relu", images().node("Relu", "out", "input")),
                arguments("sigmoid", images().node("Sigmoid", "out", "input")),
                arguments("tanh", images().node("Tanh", "out", "input")),
                arguments("clip without limits", images().node("Clip", "out", "input")),
                arguments(
                        "clip before version 11",
                        RawGraph.withOpset(10, 5)
                                .node("Clip", "out", "input")
                                .number("min", -0.5f)
                                .number("max", 0.25f)),
                arguments("clip", images().weight("max").node("Clip", "out", "input", "", "max")),
                arguments("a constant", images().weight("c", 4, 1, 1).node("Add", "out", "input", "c")),
                arguments(
                        "a constant for each pixel", images().weight("c", 7, 6).node("Mul", "out", "c", "input")),
                arguments(
                        "a constant with a batch",
                        images().weight("c", 1, 4, 7, 1).node("Add", "out", "input", "c")),
                arguments("a number", images().weight("c").node("Mul", "out", "input", "c")),
                arguments("itself", images().node("Add", "out", "input", "input")),
                arguments("a row that is longer", RawGraph.of(1).weight("c", 5).node("Add", "out", "input", "c")),
                arguments(
                        "channels weighted by themselves",
                        convolution(5, 4, 3, 3)
                                .node("GlobalAveragePool", "mean", "conv")
                                .node("Sigmoid", "weight", "mean")
                                .node("Mul", "out", "conv", "weight")),
                arguments(
                        "plain beside images",
                        convolution(4, 4, 1, 1)
                                .node("Relu", "positive", "conv")
                                .node("Mul", "product", "input", "positive")
                                .node("Add", "out", "product", "input")),
                arguments(
                        "images beside a constant for each pixel",
                        convolution(4, 4, 1, 1)
                                .weight("c", 7, 6)
                                .node("Relu", "positive", "conv")
                                .node("Add", "out", "positive", "c")));
    }

    static Stream<Arguments> normalisations() {
        return Stream.of(
                arguments("after a convolution", normalised(convolution(5, 4, 3, 3), 5, "conv")),
                arguments("after groups", normalised(convolution(6, 2, 3, 3).set("group", 2), 6, "conv")),
                arguments("alone", normalised(images(), 4, "input")),
                arguments(
                        "alone, after channels moved",
                        normalised(convolution(5, 4, 3, 3).node("Relu", "r", "conv"), 5, "r")),
                arguments(
                        "after a product",
                        normalised(RawGraph.of(6).weight("w", 6, 5).node("Gemm", "g", "input", "w"), 5, "g")));
    }

    private static RawGraph normalised(RawGraph graph, int channels, String from) {
        return graph.weight("scale", channels)
                .weight("shift", channels)
                .weight("mean", channels)
                .weight("variance", channels)
                .node("BatchNormalization", "norm", from, "scale", "shift", "mean", "variance")
                .number("epsilon", 0.01f)
                .node("Relu", "out", "norm");
    }

    static Stream<Arguments> shapes() {
        return Stream.of(
                arguments("images as the output", convolution(5, 4, 3, 3)),
                arguments("the input as the output", images().node("Flatten", "out", "input")),
                arguments("identity", images().node("Identity", "out", "input")),
                arguments(
                        "flattened images are added",
                        convolution(4, 4, 1, 1)
                                .node("Relu", "r", "conv")
                                .node("Flatten", "a", "r")
                                .node("Flatten", "b", "input")
                                .node("Add", "out", "a", "b")),
                arguments(
                        "images in another shape",
                        convolution(4, 4, 1, 1)
                                .integers("shape", 0, 7, 4, 6)
                                .node("Reshape", "other", "conv", "shape")
                                .node("MaxPool", "out", "other")
                                .list("kernel_shape", 2L, 2L)),
                arguments(
                        "channels side by side",
                        convolution(5, 4, 1, 1)
                                .node("Concat", "out", "conv", "input", "conv")
                                .set("axis", 1)),
                arguments(
                        "images below each other",
                        convolution(4, 4, 1, 1)
                                .node("Concat", "out", "conv", "input")
                                .set("axis", 2)),
                arguments(
                        "images beside each other",
                        convolution(4, 4, 1, 1)
                                .node("Concat", "out", "conv", "input")
                                .set("axis", -1)),
                arguments(
                        "rows in a row",
                        RawGraph.of(5)
                                .weight("w", 5, 3)
                                .node("Gemm", "g", "input", "w")
                                .node("Concat", "out", "g", "input")
                                .set("axis", 1)),
                arguments("softmax", RawGraph.of(40).node("Softmax", "out", "input")),
                arguments(
                        "softmax of channels",
                        convolution(5, 4, 3, 3).node("Softmax", "out", "conv").set("axis", 1)),
                arguments(
                        "softmax before version 13",
                        RawGraph.withOpset(12, 3, 4, 2)
                                .node("Softmax", "out", "input")
                                .set("axis", 2)),
                arguments(
                        "softmax of what was flattened",
                        convolution(5, 4, 3, 3).node("Flatten", "f", "conv").node("Softmax", "out", "f")));
    }

    static Stream<Arguments> all() {
        return Stream.of(convolutions(), pools(), linear(), elements(), normalisations(), shapes())
                .flatMap(part -> part);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void computesWhatOnnxRuntimeDoes(String name, RawGraph graph) {
        Reference.check(name, Reference.random(graph.build()), 3);
    }

    static Stream<Arguments> functions() {
        return Stream.of(
                arguments("relu", RawGraph.of(4).node("Relu", "out", "input")),
                arguments("sigmoid", RawGraph.of(4).node("Sigmoid", "out", "input")),
                arguments("tanh", RawGraph.of(4).node("Tanh", "out", "input")),
                arguments("clip without limits", RawGraph.of(4).node("Clip", "out", "input")),
                arguments("clip above", RawGraph.of(4).weight("max").node("Clip", "out", "input", "", "max")),
                arguments("clip below", RawGraph.of(4).weight("min").node("Clip", "out", "input", "min")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("functions")
    void ofValuesThatAreNotFiniteTheSameAsOnnxRuntime(String name, RawGraph graph) {
        Graph network = Reference.random(graph.build());
        float[] rows = {Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, -Float.MAX_VALUE, Float.NaN};
        try (GpuModel model = Reference.load(network, Precision.SINGLE)) {
            assertThat(model.predict(rows)).as(name).isEqualTo(Reference.predict(network, rows));
        }
    }
}
