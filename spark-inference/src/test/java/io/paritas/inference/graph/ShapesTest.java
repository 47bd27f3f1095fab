/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShapesTest {
    /** Shape of the last value, after ONNX Runtime found the same for all. */
    private static List<Integer> shape(RawGraph raw) {
        Graph graph = raw.build();
        Ort.checkShapes(graph, 3);
        return graph.output().shape();
    }

    private static void refused(RawGraph raw, String message) {
        assertThatThrownBy(() -> raw.build().shapes())
                .isInstanceOf(ModelException.class)
                .hasMessage(message);
    }

    @Test
    void keepTheOrderOfOperators() {
        Graph graph = Networks.mlp(List.of(1, 2, 3), 4);
        assertThat(graph.shapes())
                .containsExactly(
                        entry("input", List.of(1, 2, 3)),
                        entry("flatten1", List.of(6)),
                        entry("fc1", List.of(200)),
                        entry("relu1", List.of(200)),
                        entry("fc2", List.of(100)),
                        entry("relu2", List.of(100)),
                        entry("fc3", List.of(4)));
        assertThat(graph.output()).isEqualTo(new TensorSpec("fc3", List.of(4)));
    }

    @Test
    void rowsThatNoArrayHolds() {
        refused(
                RawGraph.of(65536, 65536).node("Flatten", "f", "input"),
                "a tensor can have 2147483647 values, one of shape [65536, 65536] has more: the model is damaged");
    }

    @Test
    void convolution() {
        RawGraph raw = RawGraph.of(4, 9, 12).weight("w", 6, 2, 3, 2).node("Conv", "c", "input", "w");
        assertThat(shape(raw.set("group", 2)
                        .list("strides", 2L, 1L)
                        .list("pads", 1L, 0L, 2L, 3L)
                        .list("dilations", 1L, 2L)))
                .containsExactly(6, 5, 13);
        assertThat(shape(RawGraph.of(1, 5, 5)
                        .weight("w", 2, 1, 3, 3)
                        .node("Conv", "c", "input", "w")
                        .text("auto_pad", "VALID")))
                .containsExactly(2, 3, 3);
    }

    /** All windows of 1 to 4 with strides of 1 to 3, both ways of rounding, with and without padding. */
    @ParameterizedTest
    @CsvSource({"MaxPool, 0", "MaxPool, 1", "AveragePool, 0", "AveragePool, 1"})
    void pools(String op, long ceil) {
        for (int size = 4; size <= 7; size++) {
            for (long kernel = 1; kernel <= 4; kernel++) {
                for (long stride = 1; stride <= 3; stride++) {
                    for (long pad = 0; pad <= kernel / 2; pad++) {
                        shape(RawGraph.of(2, size, 8)
                                .node(op, "p", "input")
                                .list("kernel_shape", kernel, kernel)
                                .list("strides", stride, stride)
                                .list("pads", pad, pad, pad, pad)
                                .set("ceil_mode", ceil));
                    }
                }
            }
        }
    }

    @Test
    void means() {
        assertThat(shape(RawGraph.of(3, 4, 5).node("GlobalAveragePool", "m", "input")))
                .containsExactly(3, 1, 1);
        assertThat(shape(RawGraph.of(3, 4, 5).node("ReduceMean", "m", "input").list("axes", 2L, 3L)))
                .containsExactly(3, 1, 1);
        assertThat(shape(RawGraph.of(3, 4, 5)
                        .node("ReduceMean", "m", "input")
                        .list("axes", -1L, -2L)
                        .set("keepdims", 0)))
                .containsExactly(3);
        assertThat(shape(RawGraph.withOpset(18, 3, 4, 5)
                        .integers("axes", 2, 3)
                        .node("ReduceMean", "m", "input", "axes")
                        .set("keepdims", 0)))
                .containsExactly(3);
    }

    @ParameterizedTest
    @CsvSource({"0, -1, 30", "-1, 30, 30", "3, -1, 30", "0, 30, 30"})
    void reshapesToRows(long batch, long target, int expected) {
        assertThat(shape(
                        RawGraph.of(5, 2, 3).integers("target", batch, target).node("Reshape", "r", "input", "target")))
                .containsExactly(expected);
    }

    @Test
    void reshapesToImages() {
        assertThat(shape(RawGraph.of(30).integers("target", 0, 5, -1, 3).node("Reshape", "r", "input", "target")))
                .containsExactly(5, 2, 3);
        assertThat(shape(RawGraph.of(5, 2, 3).integers("target", 0, 0, -1).node("Reshape", "r", "input", "target")))
                .containsExactly(5, 6);
    }

    @Test
    void linear() {
        RawGraph raw = RawGraph.of(2, 1, 3)
                .node("Flatten", "f", "input")
                .weight("a", 6, 5)
                .weight("b", 5)
                .node("Gemm", "g", "f", "a", "b")
                .weight("c", 4, 5)
                .node("Gemm", "h", "g", "c")
                .set("transB", 1);
        assertThat(shape(raw.weight("d", 4, 7)
                        .node("MatMul", "m", "h", "d")
                        .weight("e", 7)
                        .node("Add", "s", "m", "e")))
                .containsExactly(7);
    }

    @Test
    void arithmetic() {
        RawGraph raw = RawGraph.of(3, 4, 5).weight("mean", 3, 1, 1).node("Sub", "s", "input", "mean");
        raw.weight("one").node("Mul", "m", "one", "s");
        raw.weight("batch", 1, 3, 4, 1).node("Add", "a", "m", "batch");
        raw.node("GlobalAveragePool", "p", "a").node("Sigmoid", "g", "p").node("Mul", "q", "a", "g");
        assertThat(shape(raw)).containsExactly(3, 4, 5);
        assertThat(shape(RawGraph.of(1, 4, 5).weight("w", 3, 1, 1).node("Add", "a", "input", "w")))
                .containsExactly(3, 4, 5);
    }

    @Test
    void activationsAndPads() {
        RawGraph raw = RawGraph.of(3, 4, 5).node("LeakyRelu", "a", "input").node("Tanh", "b", "a");
        raw.weight("low")
                .node("Clip", "c", "b", "low")
                .node("Dropout", "d", "c")
                .node("Identity", "e", "d");
        raw.integers("pads", 0, 0, 1, 2, 0, 1, 0, 3).node("Pad", "f", "e", "pads");
        raw.node("Relu", "g", "f").node("Concat", "h", "f", "g").set("axis", 1);
        raw.node("Softmax", "i", "h")
                .set("axis", 1)
                .node("Concat", "j", "i", "h")
                .set("axis", -1);
        assertThat(shape(raw)).containsExactly(8, 5, 20);
    }

    @Test
    void refuseWhatTheyDoNotKnow() {
        refused(
                RawGraph.of(3, 4, 5).node("Transpose", "t", "input"),
                "the operators of a network must be among [Add, AveragePool, BatchNormalization, Clip, Concat, Conv,"
                        + " Div, Dropout, Flatten, Gemm, GlobalAveragePool, Identity, LeakyRelu, MatMul, MaxPool, Mul,"
                        + " Pad, ReduceMean, Relu, Reshape, Sigmoid, Softmax, Sub, Tanh] to be changed or trained, got"
                        + " Transpose 't': write the network with these, or only run it");
        refused(
                RawGraph.of(3).node("Relu", "r", "input").node("MatMul", "m", "input", "r"),
                "a product must be of a computed value and a weight, in this order; MatMul 'm' multiplies [input, r]");
        refused(
                RawGraph.of(3, 4, 5).node("ReduceMean", "m", "input").list("axes", 0L),
                "rows must stay apart: ReduceMean 'm' works along axis 0 of the batch and [3, 4, 5], it may be 1 to 3");
    }

    @Test
    void refuseWhatDoesNotFit() {
        refused(
                RawGraph.of(3, 4, 5).weight("w", 2, 4, 3, 3).node("Conv", "c", "input", "w"),
                "Conv 'c' needs 3 channels, got the shape [2, 4, 3, 3]");
        refused(
                RawGraph.of(3, 4, 5).weight("w", 2, 3, 3, 3).weight("b", 3).node("Conv", "c", "input", "w", "b"),
                "Conv 'c' needs a bias for 2 channels, got the shape [3]");
        refused(
                RawGraph.of(3, 2, 2).weight("w", 2, 3, 3, 3).node("Conv", "c", "input", "w"),
                "an image must not become empty, Conv 'c' makes [2, 0, 0] of [3, 2, 2]: use larger images");
        refused(
                RawGraph.of(6).weight("w", 5, 4).node("Gemm", "g", "input", "w"),
                "Gemm 'g' needs [6], got the shape [5, 4]");
        refused(
                RawGraph.of(6).integers("t", 0, 4).node("Reshape", "r", "input", "t"),
                "a reshape must keep the batch and all values of a row, Reshape 'r' makes [0, 4] of rows of [6]");
        refused(
                RawGraph.of(6).weight("w", 4).node("Add", "a", "input", "w"),
                "the shapes of Add 'a' must fit together, got [6] and [4]");
        refused(
                RawGraph.of(6).weight("w", 2, 6).node("Add", "a", "input", "w"),
                "Add 'a' needs a computed value and at most one weight for all rows, beside [6], got the shape [2, 6]");
        refused(
                RawGraph.of(6).node("Relu", "r", "later"),
                "input 0 of Relu 'r' must be computed by an operator before it, 'later' is not: it is a weight, or the"
                        + " model is damaged");
        refused(
                RawGraph.of(6).node("Gemm", "g", "input", "gone"),
                "input 1 of Gemm 'g' must be a float32 weight that the graph holds: export with constant folding");
    }

    /** Found by fuzzing: rows that are single numbers have no channels and no columns. */
    @ParameterizedTest
    @CsvSource({
        "Conv, 1, channels and pixels",
        "MaxPool, 0, channels and pixels",
        "MatMul, 1, at least one dimension",
        "BatchNormalization, 4, at least one dimension",
        "GlobalAveragePool, 0, at least one dimension"
    })
    void refuseRowsWithoutDimensions(String op, int weights, String what) {
        String[] inputs = new String[1 + weights];
        Arrays.fill(inputs, "w");
        inputs[0] = "input";
        refused(
                RawGraph.of().weight("w", 3, 4).node(op, "y", inputs),
                op + " 'y' needs rows with " + what + ", got the shape []");
    }

    /** Found by fuzzing. */
    @Test
    void refuseWindowsWithoutPixels() {
        refused(
                RawGraph.of(3).weight("w", 4, 3).node("Conv", "c", "input", "w"),
                "Conv 'c' needs rows with channels and pixels, got the shape [3]");
    }

    @Test
    void refuseDamage() {
        refused(
                RawGraph.of(6).node("Add", "a", "input"),
                "Add 'a' must have an input 1, it reads [input]: the model is damaged");
        refused(
                RawGraph.of(6, 5, 5)
                        .node("MaxPool", "p", "input")
                        .list("kernel_shape", 2L, 2L)
                        .list("strides", 0L, 2L)
                        .list("pads", 0L, 0L),
                "MaxPool 'p' needs a stride and a dilation for each of 2 axes and padding on both sides, got [0, 2],"
                        + " [1, 1] and [0, 0]: the model is damaged");
        refused(
                RawGraph.of(6).weight("w", 6).node("Add", "a", "input", "w", "w"),
                "Add 'a' must have at most 2 inputs, it reads [input, w, w]: the model is damaged");
        refused(
                RawGraph.of(2).weight("w", 2, 3).node("Gemm", "g", "input", "w").set("transA", 2),
                "transA must be 0 or 1, Gemm 'g' has 2: the model is damaged");
        refused(
                RawGraph.of(3, 4, 5).node("ReduceMean", "m", "input").list("axes", -1L, 3L),
                "a mean must name its axes, each once, ReduceMean 'm' has [-1, 3]");
        refused(
                RawGraph.of(3).node("Softmax", "s", "input").set("axis", 0),
                "rows must stay apart: Softmax 's' works along axis 0 of the batch and [3], it may be 1 to 1");
        refused(
                RawGraph.of(3)
                        .weight("a", 3)
                        .weight("b", 3)
                        .node("Add", "c", "a", "b")
                        .node("Add", "d", "input", "c"),
                "Add 'c' must read a computed value, it joins the constants [a, b]: export with constant folding");
        refused(
                RawGraph.of(3)
                        .integers("target", 0, 3)
                        .node("Reshape", "r", "input", "target")
                        .set("allowzero", 1),
                "a reshape must keep the batch and all values of a row, Reshape 'r' makes [0, 3] of rows of [3]");
    }

    private static RawGraph window(String attribute, Long... values) {
        return RawGraph.of(1, 5, 5)
                .weight("w", 2, 1, 3, 3)
                .node("Conv", "c", "input", "w")
                .list(attribute, values);
    }

    @Test
    void refuseWindowsThatDoNotSlide() {
        String needs = "Conv 'c' needs a stride and a dilation for each of 2 axes and padding on both sides, got ";
        refused(window("dilations", -1L, -1L), needs + "[1, 1], [-1, -1] and [0, 0, 0, 0]: the model is damaged");
        refused(
                window("strides", 1L << 32, 1L),
                needs + "[4294967296, 1], [1, 1] and [0, 0, 0, 0]: the model is damaged");
        refused(window("pads", 0L, 0L, -1L, 0L), needs + "[1, 1], [1, 1] and [0, 0, -1, 0]: the model is damaged");
    }

    @Test
    void refuseWindowsThatPoolsCannotHave() {
        refused(
                RawGraph.of(1, 5, 5).node("MaxPool", "p", "input").list("kernel_shape", 0L, 1L),
                "MaxPool 'p' needs a window of at least 1, got [0, 1]: the model is damaged");
        refused(
                RawGraph.of(1, 2, 2)
                        .node("MaxPool", "p", "input")
                        .list("kernel_shape", 3L, 2L)
                        .list("strides", 2L, 2L),
                "a pool's window must fit into its padded image, MaxPool 'p' has a window of [3, 2] for [1, 2, 2]: use"
                        + " larger images, or only run it, with onnxruntime");
    }

    /** Found by fuzzing. */
    @Test
    void refuseSizesThatAreNoInts() {
        refused(
                RawGraph.of(1, 5, 5).node("MaxPool", "p", "input").list("kernel_shape", 1L << 31, 1L),
                "a size must be at most 2147483647, MaxPool 'p' makes 2147483648: the model is damaged");
        refused(
                RawGraph.of(6).integers("target", 0, 1L << 32).node("Reshape", "r", "input", "target"),
                "a size must be at most 2147483647, Reshape 'r' makes 4294967296: the model is damaged");
        refused(
                RawGraph.of(6).integers("pads", 0, 1L << 40, 0, 0).node("Pad", "p", "input", "pads"),
                "a size must be at most 2147483647, Pad 'p' makes 1099511627782: the model is damaged");
        refused(
                RawGraph.of(6, 6).integers("pads", 0, 1 << 30, 1 << 30, 0, 0, 0).node("Pad", "p", "input", "pads"),
                "a tensor can have 2147483647 values, one of shape [1073741830, 1073741830] has more: the model is"
                        + " damaged");
    }

    @Test
    void aBiasIsTheSameForAllRows() {
        RawGraph row = RawGraph.of(2).weight("w", 2, 3).weight("b", 1, 3).node("Gemm", "g", "input", "w", "b");
        assertThat(shape(row)).containsExactly(3);
        refused(
                RawGraph.of(2).weight("w", 2, 3).weight("b", 4, 3).node("Gemm", "g", "input", "w", "b"),
                "Gemm 'g' needs a bias for 3 outputs, the same for all rows, got the shape [4, 3]");
        refused(
                RawGraph.of(2).weight("w", 2, 1).weight("b", 4, 1).node("Gemm", "g", "input", "w", "b"),
                "Gemm 'g' needs a bias for 1 outputs, the same for all rows, got the shape [4, 1]");
    }
}
