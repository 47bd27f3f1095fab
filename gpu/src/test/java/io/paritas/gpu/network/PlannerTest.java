/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.RawGraph;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlannerTest {
    private static List<String> kinds(Graph graph, Precision precision) {
        return Planner.plan(graph, precision).steps().stream().map(Step::kind).toList();
    }

    private static List<String> kinds(Graph graph) {
        return kinds(graph, Precision.SINGLE);
    }

    @Test
    void functionsAndNormalisationsAreTakenAlong() {
        assertThat(kinds(Networks.lenet5(List.of(1, 28, 28), 10)))
                .containsExactly("Product", "Pool", "Widen", "Product", "Pool", "Product", "Product", "Product");
        assertThat(kinds(Networks.mlp(List.of(1, 28, 28), 10)))
                .containsOnly("Product")
                .hasSize(3);
        /* 20 convolutions with what follows them, the sums of shortcuts included, a pool and a linear layer. */
        List<String> residual = kinds(Networks.resNet18(List.of(3, 32, 32), 10, 4));
        assertThat(residual).startsWith("Widen").endsWith("Pool", "Product").hasSize(23);
        assertThat(residual.subList(1, 21)).containsOnly("Product");
    }

    @Test
    void aProductTakesConstantsAValueAndAFunctionAlong() {
        Graph graph = RawGraph.of(4, 5, 5)
                .weight("kernel", 6, 4, 1, 1)
                .weight("factor", 6, 1, 1)
                .weight("shift", 1, 6, 1, 1)
                .node("Conv", "a", "input", "kernel")
                .node("Conv", "b", "input", "kernel")
                .node("Mul", "scaled", "factor", "a")
                .node("Add", "shifted", "scaled", "shift")
                .node("Add", "sum", "shifted", "b")
                .node("Relu", "out", "sum")
                .build();
        NetworkPlan plan = Planner.plan(graph, Precision.SINGLE);
        assertThat(plan.steps()).extracting(Step::kind).containsExactly("Arrange", "Product", "Product", "Arrange");
        Step.Product last = (Step.Product) plan.steps().get(2);
        assertThat(last.finish().activation()).isEqualTo(Activation.RELU);
        assertThat(last.finish().addend()).contains(plan.steps().get(1).output());
        assertThat(last.matrix().bias()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(last.matrix().entries().at(1, 2)).isEqualTo(3f * (2 * 4 + 1 + 1));
        assertThat(last.window()).as("a filter of one pixel is a linear layer").isEmpty();
        assertThat(last.rows()).isEqualTo(25);
    }

    @Test
    void whatSomebodyElseReadsIsNotTakenAlong() {
        Graph graph = RawGraph.of(4)
                .weight("matrix", 4, 4)
                .node("MatMul", "a", "input", "matrix")
                .node("Relu", "r", "a")
                .node("Add", "out", "r", "a")
                .build();
        assertThat(kinds(graph)).containsExactly("Product", "Combine", "Combine");
    }

    @Test
    void flattenedImagesAreNotCopied() {
        Graph graph = RawGraph.of(2, 3, 3)
                .weight("kernel", 5, 2, 2, 2)
                .weight("matrix", 20, 3)
                .node("Conv", "images", "input", "kernel")
                .node("Flatten", "row", "images")
                .node("Gemm", "out", "row", "matrix")
                .build();
        NetworkPlan plan = Planner.plan(graph, Precision.SINGLE);
        assertThat(plan.steps()).extracting(Step::kind).containsExactly("Widen", "Product", "Product");
        Step.Product last = (Step.Product) plan.steps().get(2);
        /* Row 1 in memory is channel 1 of the first pixel, which is row 4 in ONNX's order. */
        assertThat(last.matrix().entries().at(1, 2)).isEqualTo(1 + 4 * 3 + 2);
    }

    @Test
    void identityAndDropoutCostNothing() {
        GraphBuilder net = new GraphBuilder(6);
        assertThat(kinds(net.output(net.linear(net.dropout(net.linear(net.input(), 5), 0.5f), 3))))
                .containsExactly("Product", "Product");
    }

    @Test
    void halvesAreMadeOfTheInputAndTheOutputIsFloats() {
        NetworkPlan plan = Planner.plan(Networks.mlp(List.of(16), 3), Precision.HALF);
        assertThat(plan.steps()).extracting(Step::kind).containsExactly("Arrange", "Product", "Product", "Product");
        assertThat(plan.buffers())
                .extracting(NetworkPlan.Buffer::precision)
                .containsExactly(Precision.SINGLE, Precision.HALF, Precision.HALF, Precision.HALF, Precision.SINGLE);
    }

    @ParameterizedTest
    @EnumSource
    void everyPublishedNetworkHasAPlanWithASmallArena(NetworkName name) {
        for (Precision precision : Precision.values()) {
            NetworkPlan plan = Planner.plan(name.build(), precision);
            for (int rows : new int[] {1, 7}) {
                ArenaTest.check(plan.uses(rows));
                assertThat(plan.arena(rows).bytes())
                        .as("bytes of %s for %d rows", name, rows)
                        .isLessThanOrEqualTo(Arena.leastBytes(plan.uses(rows)) * 11 / 10);
            }
        }
    }

    /* 3 channels of float16 are stored as 8, in sixteen bytes; one channel stays alone. */
    @Test
    void imagesAreWidenedForConvolutions() {
        GraphBuilder net = new GraphBuilder(3, 5, 5);
        Graph graph = net.output(
                net.convolution(net.convolution(net.input(), Convolution.same(12, 3)), Convolution.same(4, 3)));
        NetworkPlan plan = Planner.plan(graph, Precision.HALF);
        assertThat(plan.steps())
                .extracting(Step::kind)
                .containsExactly("Widen", "Product", "Widen", "Product", "Arrange");
        assertThat(plan.steps().get(0).output().shape()).containsExactly(8, 5, 5);
        Step.Product first = (Step.Product) plan.steps().get(1);
        assertThat(first.matrix().depth()).isEqualTo(8 * 9);
        assertThat(first.matrix().entries().at(3, 0)).isZero();
        assertThat(((Step.Product) plan.steps().get(3)).matrix().depth()).isEqualTo(16 * 9);
    }

    @Test
    void groupsAreConvolutionsOfTheirOwn() {
        GraphBuilder net = new GraphBuilder(6, 5, 5);
        assertThat(kinds(net.output(net.relu(
                        net.convolution(net.input(), Convolution.same(4, 3).groups(2))))))
                .containsExactly("Arrange", "GroupedConvolution", "Arrange");
    }

    /* Found by fuzzing. */
    @Test
    void aPoolOfWholeImagesHasNoPadding() {
        RawGraph graph = RawGraph.of(2, 3, 4)
                .node("GlobalAveragePool", "out", "input")
                .list("pads", 1L)
                .list("strides", 2L);
        NetworkPlan plan = Planner.plan(graph.build(), Precision.SINGLE);
        Step.Pool pool = (Step.Pool) plan.steps().get(1);
        assertThat(pool.window().taps()).isEqualTo(12);
        assertThat(pool.window().positions()).isEqualTo(1);
    }

    @Test
    void refusesOtherOperatorsByName() {
        Graph graph = RawGraph.of(3)
                .node("Relu", "r", "input")
                .node("LeakyRelu", "leaky", "r")
                .build();
        assertThatThrownBy(() -> Planner.plan(graph, Precision.SINGLE))
                .isInstanceOf(UnsupportedModelException.class)
                .hasMessage("the operators of a network on the GPU must be among [Add, AveragePool, BatchNormalization,"
                        + " Clip, Concat, Conv, Flatten, Gemm, GlobalAveragePool, MatMul, MaxPool, Mul, Relu, Reshape,"
                        + " Sigmoid, Softmax, Tanh], got LeakyRelu 'leaky': leave the choice of the engine to 'auto'");
    }

    @Test
    void refusesWhatNoKernelComputes() {
        refused(
                RawGraph.of(4, 9).weight("kernel", 2, 4, 3).node("Conv", "out", "input", "kernel"),
                "Conv 'out' must read images (channels, height, width) to run on the GPU, got rows of [4, 9]");
        refused(
                RawGraph.of(1, 4, 4)
                        .node("AveragePool", "out", "input")
                        .list("kernel_shape", 3L, 3L)
                        .set("ceil_mode", 1)
                        .set("count_include_pad", 1),
                "AveragePool 'out' must not have both ceil_mode and count_include_pad to run on the GPU: leave out one");
        refused(
                RawGraph.of(2, 3, 4, 5).weight("w", 5).node("Add", "out", "input", "w"),
                "Add 'out' must have at most 3 dimensions after the batch to combine different shapes on the GPU,"
                        + " got [2, 3, 4, 5]");
        refused(
                RawGraph.of(3).node("Relu", "limit", "input").node("Clip", "out", "input", "limit"),
                "Clip 'out' must have constant limits to run on the GPU");
    }

    /* A matrix of one column takes 64 on the GPU. */
    @Test
    void refusesWeightsThatNoBufferTakes() {
        int depth = 1 << 23;
        refused(
                RawGraph.of(depth).weight("matrix", depth, 1).node("MatMul", "out", "input", "matrix"),
                "MatMul 'out' must have weights that take less than 2 GiB on the GPU, where columns fill blocks of 64, got"
                        + " 8388608 x 1, which take 2147483648 bytes: leave the choice of the engine to 'auto'");
    }

    /* A block of threads for 64 columns, and 65,535 of them. */
    @Test
    void refusesMoreColumnsThanAGridHas() {
        int columns = 65_535 * 64 + 1;
        refused(
                RawGraph.of(1).weight("matrix", 1, columns).node("MatMul", "out", "input", "matrix"),
                "MatMul 'out' must have at most 4194240 columns on the GPU, got 4194241: leave the choice of the engine"
                        + " to 'auto'");
    }

    private static void refused(RawGraph graph, String message) {
        assertThatThrownBy(() -> Planner.plan(graph.build(), Precision.SINGLE))
                .isInstanceOf(UnsupportedModelException.class)
                .hasMessage(message);
    }
}
