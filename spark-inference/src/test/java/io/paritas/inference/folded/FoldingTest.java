/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.Weight;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FoldingTest {
    /** Folds, and lets ONNX Runtime check all shapes. */
    private static Graph fold(Graph graph, FoldOptions options) {
        Graph folded = Folding.fold(graph, options);
        Ort.checkShapes(folded, 2);
        assertThat(Stacks.unfolded(folded.input(), options.fold())).isEqualTo(graph.input());
        assertThat(Stacks.unfolded(folded.output(), options.fold())).isEqualTo(graph.output());
        return folded;
    }

    private static Graph fold(Graph graph, int fold) {
        return fold(graph, FoldOptions.of(fold));
    }

    private static int[] shape(Graph graph, String weight) {
        return graph.weights().get(weight).shape();
    }

    private static void refused(Graph graph, int fold, String message) {
        assertThatThrownBy(() -> Folding.fold(graph, FoldOptions.of(fold)))
                .isInstanceOf(ModelException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLOOR", "TILES"})
    void byOneIsTheOriginal(Rounding rounding) {
        Graph graph = Initialisation.XAVIER.apply(NetworkName.GAME_V2.build(), 7);
        Graph folded = Folding.fold(graph, FoldOptions.of(1).withRounding(rounding));
        assertThat(folded.toModelFile().sha256()).isEqualTo(graph.toModelFile().sha256());
    }

    @Test
    void leavesWeightsToAnInitialisation() {
        Graph graph = Initialisation.PYTORCH.apply(Networks.resNet18(List.of(1, 28, 28), 10, 4), 7);
        Graph folded = fold(graph, 4);
        for (Weight weight : folded.weights().values()) {
            boolean one = weight.role() == Weight.Role.SCALE || weight.role() == Weight.Role.VARIANCE;
            assertThat(weight.values()).as(weight.name()).containsOnly(one ? 1 : 0);
            assertThat(weight.role())
                    .isEqualTo(graph.weights().get(weight.name()).role());
        }
        assertThat(folded.nodes()).hasSameSizeAs(graph.nodes());
    }

    @Test
    void widensPerceptrons() {
        Graph folded = fold(Networks.mlp(List.of(1, 28, 28), 10), 2);
        assertThat(shape(folded, "fc1.weight")).containsExactly(282, 1568);
        assertThat(shape(folded, "fc2.weight")).containsExactly(141, 282);
        assertThat(shape(folded, "fc3.weight")).containsExactly(20, 141);
        assertThat(shape(folded, "fc3.bias")).containsExactly(20);
        assertThat(shape(fold(Networks.dlrmTop(), 3), "fc3.bias")).containsExactly(3);
    }

    @Test
    void folds150LayersAlike() {
        Graph folded = fold(Networks.resNet152(List.of(3, 32, 32), 100, 4), 3);
        assertThat(shape(folded, "conv1.weight")).containsExactly(6, 9, 3, 3);
        assertThat(shape(folded, "bn1.mean")).containsExactly(6);
        assertThat(shape(folded, "fc1.weight")).containsExactly(300, 55);
    }

    @Test
    void takesAnotherMultiplier() {
        FoldOptions options = FoldOptions.of(4).withMultiplier(1.5);
        assertThat(shape(fold(NetworkName.NOSCOPE_N1.build(), options), "conv2.weight"))
                .containsExactly(24, 24, 3, 3);
        FoldOptions wider = FoldOptions.of(1).withMultiplier(2);
        assertThat(shape(fold(NetworkName.NOSCOPE_N1.build(), wider), "conv2.weight"))
                .containsExactly(32, 32, 3, 3);
    }

    @ParameterizedTest
    @CsvSource({"2, 64, 90, 88", "3, 64, 110, 112", "4, 64, 128, 128", "2, 4, 5, 8", "2, 8, 11, 8", "3, 32, 55, 56"})
    void roundsFromTheOriginal(int fold, int channels, int down, int tiles) {
        assertThat(FoldOptions.of(fold).channels(channels, 1)).isEqualTo(down);
        assertThat(FoldOptions.of(fold).withRounding(Rounding.TILES).channels(channels, 1))
                .isEqualTo(tiles);
    }

    /** Thesis, table 9.7 (f = 4); with f = 2 every group grows from 8 to 11, or from 16 to 22 channels. */
    @ParameterizedTest
    @CsvSource({"32, 4, 64, 16", "64, 4, 128, 32", "32, 2, 44, 11", "64, 2, 88, 22", "32, 3, 52, 13", "64, 3, 108, 27"})
    void keepsGroups(int channels, int fold, int expected, int inGroup) {
        Graph folded = fold(groups(channels, 4), fold);
        assertThat(shape(folded, "conv2.weight")).containsExactly(expected, inGroup, 3, 3);
        assertThat(folded.nodes().get(1).integer("group", 0)).isEqualTo(4);
    }

    @Test
    void keepsGroupsInTiles() {
        FoldOptions tiles = FoldOptions.of(2).withRounding(Rounding.TILES);
        assertThat(shape(fold(groups(30, 3), tiles), "conv2.weight")).containsExactly(48, 16, 3, 3);
    }

    /** A layer, a layer with groups, and a layer for the output. */
    private static Graph groups(int channels, int groups) {
        GraphBuilder net = new GraphBuilder(3, 10, 10);
        Value last = net.convolution(net.input(), Convolution.same(channels, 3));
        last = net.convolution(last, Convolution.same(channels, 3).groups(groups));
        return net.output(net.linear(net.flatten(net.globalAveragePool(last)), 5));
    }

    @Test
    void givesEveryChannelItsDepthwiseKernel() {
        GraphBuilder net = new GraphBuilder(3, 10, 10);
        Value last = net.convolution(net.input(), Convolution.same(6, 3).groups(3));
        last = net.convolution(last, Convolution.same(16, 1));
        last = net.batchNorm(net.convolution(last, Convolution.same(16, 3).groups(16)));
        last = net.convolution(last, Convolution.same(8, 1));
        last = net.convolution(last, Convolution.same(24, 3).groups(8));
        Graph folded = fold(net.output(last), 2);
        assertThat(shape(folded, "conv1.weight")).containsExactly(12, 1, 3, 3);
        assertThat(shape(folded, "conv2.weight")).containsExactly(22, 12, 1, 1);
        assertThat(shape(folded, "conv3.weight")).containsExactly(22, 1, 3, 3);
        assertThat(folded.nodes().get(2).integer("group", 0)).isEqualTo(22);
        assertThat(shape(folded, "conv4.weight")).containsExactly(16, 22, 1, 1);
        assertThat(shape(folded, "conv5.weight")).containsExactly(48, 1, 3, 3);
    }

    @Test
    void followsConcatenations() {
        Graph folded = fold(
                RawGraph.of(3, 8, 8)
                        .weight("a", 5, 3, 1, 1)
                        .node("Conv", "left", "input", "a")
                        .weight("b", 7, 3, 1, 1)
                        .node("Conv", "right", "input", "b")
                        .node("Concat", "both", "left", "input", "right")
                        .set("axis", 1)
                        .weight("c", 4, 15, 1, 1)
                        .node("Conv", "last", "both", "c")
                        .build(),
                2);
        assertThat(shape(folded, "c")).containsExactly(8, 7 + 6 + 9, 1, 1);
    }

    @Test
    void followsWhatExportersWrite() {
        Graph folded = fold(
                RawGraph.of(3, 6, 6)
                        .weight("mean", 1, 3, 1, 1)
                        .node("Sub", "centred", "input", "mean")
                        .weight("half")
                        .node("Mul", "scaled", "centred", "half")
                        .weight("a", 8, 3, 3, 3)
                        .node("Conv", "conv", "scaled", "a")
                        .integers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
                        .node("Pad", "pad", "conv", "pads")
                        .node("ReduceMean", "mean1", "pad")
                        .list("axes", -1L, -2L)
                        .integers("flat", -1, 8)
                        .node("Reshape", "rows", "mean1", "flat")
                        .weight("b", 8, 6)
                        .weight("c", 6)
                        .node("MatMul", "product", "rows", "b")
                        .node("Add", "sum", "product", "c")
                        .node("Tanh", "tanh", "sum")
                        .weight("d", 6, 4)
                        .weight("e", 4)
                        .node("Gemm", "gemm", "tanh", "d", "e")
                        .build(),
                2);
        assertThat(folded.weights().get("mean").values()).containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(folded.weights().get("half").values()).containsExactly(1);
        assertThat(folded.integers("flat")).containsExactly(-1, 11);
        assertThat(shape(folded, "b")).containsExactly(11, 8);
        assertThat(shape(folded, "c")).containsExactly(8);
        assertThat(shape(folded, "d")).containsExactly(8, 8);
        assertThat(shape(folded, "e")).containsExactly(8);
    }

    @Test
    void followsReshapesToImages() {
        Graph folded = fold(
                RawGraph.of(12)
                        .weight("a", 20, 12)
                        .node("Gemm", "fc", "input", "a")
                        .set("transB", 1)
                        .integers("image", 1, 5, 2, 2)
                        .node("Reshape", "image1", "fc", "image")
                        .weight("b", 1, 5, 1, 1)
                        .node("Conv", "conv", "image1", "b")
                        .build(),
                2);
        assertThat(shape(folded, "a")).containsExactly(28, 24);
        assertThat(folded.integers("image")).containsExactly(0, 7, 2, 2);
        assertThat(shape(folded, "b")).containsExactly(2, 7, 1, 1);
    }

    @Test
    void refusesWhatWouldMixImages() {
        GraphBuilder net = new GraphBuilder(8, 6, 6);
        Value conv = net.convolution(net.input(), Convolution.same(8, 3));
        refused(
                net.output(net.convolution(net.sum(net.input(), conv), Convolution.same(2, 1))),
                4,
                "a network with Add 'sum1' cannot be folded by 4: it joins values of [8, 8] channels, which folding"
                        + " would make [32, 16]: both must come from layers inside the network with equal channels");
        refused(
                RawGraph.of(4)
                        .weight("w", 4, 3)
                        .node("Gemm", "g", "input", "w")
                        .node("Softmax", "s", "g")
                        .build(),
                2,
                "a network with Softmax 's' cannot be folded by 2: it would mix the scores of the 2 images: export raw"
                        + " scores");
        refused(
                RawGraph.of(4)
                        .weight("v", 4, 3)
                        .node("Gemm", "g", "input", "v")
                        .weight("w", 4, 2)
                        .node("Gemm", "h", "input", "w")
                        .node("Concat", "c", "g", "h")
                        .set("axis", 1)
                        .build(),
                2,
                "the output must have its scores image by image, but 'c' joins values of several layers: let one linear"
                        + " layer make all scores");
        refused(
                RawGraph.of(4, 3, 3)
                        .node("ReduceMean", "m", "input")
                        .list("axes", 1L)
                        .build(),
                2,
                "a network with ReduceMean 'm' cannot be folded by 2: it works along the channels, and folding changes"
                        + " what channels there are");
    }

    @Test
    void refusesConstantsOfHiddenChannels() {
        refused(
                RawGraph.of(3, 4, 4)
                        .weight("w", 8, 3, 1, 1)
                        .node("Conv", "c", "input", "w")
                        .weight("gamma", 8, 1, 1)
                        .node("Mul", "m", "c", "gamma")
                        .weight("v", 2, 8, 1, 1)
                        .node("Conv", "d", "m", "v")
                        .build(),
                2,
                "a network with Mul 'm' cannot be folded by 2: it has a constant 'gamma' for each channel, and folding"
                        + " changes what channels there are: make it a parameter of a normalisation, or a single number");
    }

    @Test
    void refusesGroupsThatDoNotFit() {
        refused(
                RawGraph.of(3, 4, 4)
                        .weight("a", 4, 3, 1, 1)
                        .node("Conv", "left", "input", "a")
                        .weight("b", 6, 3, 1, 1)
                        .node("Conv", "right", "input", "b")
                        .node("Concat", "both", "left", "right")
                        .set("axis", 1)
                        .weight("c", 4, 5, 1, 1)
                        .node("Conv", "last", "both", "c")
                        .set("group", 2)
                        .build(),
                2,
                "a network with Conv 'last' cannot be folded by 2: it has 2 groups, which cannot share the 13 channels"
                        + " that arrive: choose another multiplier");
    }

    @Test
    void refusesToShareWhatWouldDiffer() {
        refused(
                RawGraph.of(4)
                        .weight("w", 4, 4)
                        .node("Gemm", "g", "input", "w")
                        .node("Gemm", "h", "g", "w")
                        .build(),
                2,
                "layers that share a weight must need the same when folded, but 'w' would be [8, 5] and [5, 8]: give"
                        + " each its own");
        refused(
                RawGraph.of(6, 1, 1)
                        .integers("flat", -1, 6)
                        .node("Reshape", "a", "input", "flat")
                        .weight("w", 6, 6)
                        .node("Gemm", "g", "a", "w")
                        .node("Reshape", "b", "g", "flat")
                        .weight("v", 6, 2)
                        .node("Gemm", "h", "b", "v")
                        .build(),
                2,
                "reshapes that share a target must need the same when folded, but 'flat' would be [-1, 12] and [-1, 8]:"
                        + " give each its own");
    }

    @Test
    void refusesRowsWithoutChannels() {
        Graph graph = RawGraph.of(2, 3, 3)
                .node("ReduceMean", "mean", "input")
                .list("axes", 1L, 2L, 3L)
                .set("keepdims", 0)
                .build();
        refused(
                graph,
                2,
                "every value must have channels to be folded, the rows of 'mean' are single numbers: keep the dimension"
                        + " where the network takes a mean (keepdims), or only run it");
    }

    @Test
    void refusesNoFold() {
        assertThatThrownBy(() -> FoldOptions.of(0)).hasMessage("a fold must be at least 1, got 0");
        assertThatThrownBy(() -> FoldOptions.of(2).withMultiplier(0))
                .hasMessage("the multiplier of channels must be above 0, got 0.0");
        for (Rounding rounding : Rounding.values()) {
            FoldOptions large = FoldOptions.of(2).withMultiplier(1e9).withRounding(rounding);
            assertThatThrownBy(() -> large.channels(16, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a layer cannot have 1.0E9 times 16 channels: take a smaller multiplier of channels");
        }
    }
}
