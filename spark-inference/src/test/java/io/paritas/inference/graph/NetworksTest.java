/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Networks.DecoderLayers;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NetworksTest {
    private static final List<Integer> MNIST = List.of(1, 28, 28);
    private static final List<Integer> CIFAR = List.of(3, 32, 32);

    @Test
    void haveThePublishedParameters() {
        assertThat(Networks.mlp(MNIST, 10).parameters()).isEqualTo(178_110);
        assertThat(Networks.named("MLP", List.of(784), 10).parameters()).isEqualTo(178_110);
        assertThat(Networks.resNet18(MNIST, 10).parameters()).isEqualTo(2_776_522);
        assertThat(Networks.resNet18(CIFAR, 10).parameters()).isEqualTo(11_173_962);
        assertThat(Networks.resNet18(CIFAR, 100).parameters()).isEqualTo(11_220_132);
        assertThat(Networks.resNet152(CIFAR, 100, 64).parameters()).isEqualTo(57_930_148);
        assertThat(NetworkName.VGG11_SPEECH.build().parameters()).isEqualTo(13_172_894);
        assertThat(NetworkName.LENET_SPEECH.build().parameters()).isEqualTo(16_321_570);
        assertThat(Networks.lenet5(MNIST, 10).parameters()).isEqualTo(61_706);
        assertThat(Networks.lenet5(List.of(1, 32, 32), 10).parameters()).isEqualTo(61_706);
    }

    @Test
    void learnedCodesHaveThePublishedParameters() {
        assertThat(Networks.convEncoder(2, 1, 28, 28).parameters()).isEqualTo(73_001);
        assertThat(Networks.convEncoder(5, 1, 28, 28).parameters()).isEqualTo(455_201);
        assertThat(Networks.mlpEncoder(2, 1, 784).parameters()).isEqualTo(3_690_288);
        assertThat(Networks.mlpEncoder(5, 1, 784).parameters()).isEqualTo(18_444_384);
        assertThat(Networks.mlpEncoder(2, 1, 1024).parameters()).isEqualTo(6_294_528);
        assertThat(Networks.mlpEncoder(5, 1, 1024).parameters()).isEqualTo(31_463_424);
        assertThat(Networks.decoderMlp(2, 1, 10, DecoderLayers.PROGRAM).parameters())
                .isEqualTo(1_970);
        assertThat(Networks.decoderMlp(2, 1, 10, DecoderLayers.THESIS).parameters())
                .isEqualTo(1_460);
        assertThat(Networks.decoderMlp(5, 1, 10, DecoderLayers.PROGRAM).parameters())
                .isEqualTo(9_260);
        assertThat(Networks.decoderMlp(5, 1, 10, DecoderLayers.THESIS).parameters())
                .isEqualTo(8_150);
    }

    @ParameterizedTest
    @EnumSource
    void areFoundByNameAndReturnTheirClasses(NetworkName name) {
        assertThat(NetworkName.named(name.toString())).isEqualTo(name);
        if (name != NetworkName.RESNET152_BASIC) {
            Graph graph = Networks.named(name.toString(), name.shape(), 7);
            assertThat(graph.input().shape()).isEqualTo(name.shape());
            assertThat(graph.output().shape()).containsExactly(7);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"RESNET152_BASIC", "LENET_SPEECH", "VGG11_SPEECH", "RESNET18"})
    void run(NetworkName name) {
        Graph graph = Initialisation.PYTORCH.apply(name.build(), 1);
        Ort.checkShapes(graph, 2);
    }

    @Test
    void largeOnesRun() {
        Ort.checkShapes(NetworkName.LENET_SPEECH.build(), 1);
        Ort.checkShapes(NetworkName.VGG11_SPEECH.build(), 1);
        Ort.checkShapes(Networks.resNet152(CIFAR, 100, 8), 1);
        Ort.checkShapes(Networks.resNet18(CIFAR, 10), 1);
    }

    @Test
    void codesAndRecommendersRun() {
        Ort.checkShapes(Networks.dlrmBottom(), 3);
        Ort.checkShapes(Networks.dlrmTop(), 3);
        Ort.checkShapes(Networks.mlpEncoder(2, 1, 16), 3);
        Ort.checkShapes(Networks.convEncoder(2, 1, 9, 7), 3);
        Ort.checkShapes(Networks.decoderMlp(2, 1, 10, DecoderLayers.PROGRAM), 3);
    }

    /** After each pool, and before the last layer; folding keeps it. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ALL,
            names = {"NOSCOPE_.*"})
    void noScopeMayHaveDropout(NetworkName name) {
        Graph graph = name.build(name.shape(), 2, 0.25f);
        List<String> operators = graph.nodes().stream().map(Node::op).toList();
        int pools = Collections.frequency(operators, "MaxPool");
        assertThat(Collections.frequency(operators, "Dropout")).isEqualTo(pools + 1);
        assertThat(operators).containsSubsequence("MaxPool", "Dropout", "Flatten", "Gemm", "Relu", "Dropout", "Gemm");
        assertThat(name.build().nodes()).extracting(Node::op).doesNotContain("Dropout");
        assertThat(graph.parameters()).isEqualTo(name.build().parameters());
        Ort.checkShapes(Folding.fold(graph, FoldOptions.of(4)), 2);
    }

    @Test
    void otherNetworksHaveNoDropout() {
        assertThatThrownBy(() -> NetworkName.MLP.build(MNIST, 10, 0.25f))
                .hasMessage("only the noscope networks have a published dropout, got mlp: leave it out");
        assertThatThrownBy(() -> NetworkName.NOSCOPE_N1.build(List.of(3, 50, 50), 2, 1))
                .hasMessage("dropout must be above 0 and below 1, got 1.0");
    }

    @Test
    void narrowResNetsTrainQuickly() {
        assertThat(Networks.resNet18(MNIST, 10, 16).parameters()).isBetween(100_000L, 200_000L);
        assertThat(NetworkName.RESNET18_NARROW.build(MNIST, 10).parameters())
                .isEqualTo(Networks.resNet18(MNIST, 10, 16).parameters());
    }

    @Test
    void rowsDoNotDependOnTheirNeighbours() {
        Graph graph = Initialisation.PYTORCH.apply(Networks.resNet18(MNIST, 10, 4), 3);
        float[] two = new float[2 * 784];
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < two.length; i++) {
            two[i] = (float) random.nextDouble();
        }
        float[] together = Ort.run(graph, two, 2);
        float[] alone = Ort.run(graph, Arrays.copyOfRange(two, 784, 1568), 1);
        assertThat(Arrays.copyOfRange(together, 10, 20)).containsExactly(alone, within(1e-5f));
        assertThat(alone).isNotEqualTo(new float[10]);
    }

    /** Depth ÷ 1.2, width ÷ 1.1, image ÷ 1.15: about half the operations (thesis, 9.5.3: "roughly 2× fewer"). */
    @ParameterizedTest
    @CsvSource({"22, 52, 11, 1, 4", "19, 25, 22, 1, 4", "17, 40, 15, 1, 4", "22, 30, 27, 2, 7"})
    void gamesScaledDownAsEfficientNetSays(int height, int width, int classes, int units, int convolutions) {
        List<Integer> shape = List.of(3, height, width);
        Graph small = Networks.gameScaledDown(shape, classes, units);
        assertThat(small.nodes().stream().filter(node -> node.op().equals("Conv")))
                .hasSize(convolutions);
        assertThat(small.weights().get("conv1.weight").shape()[0]).isEqualTo(29);
        assertThat(small.weights().get("conv" + convolutions + ".weight").shape()[0])
                .isEqualTo(7);
        assertThat(small.input().shape())
                .containsExactly(3, (int) Math.round(height / 1.15), (int) Math.round(width / 1.15));
        Costs before = Costs.of(Networks.game(shape, classes, units), 1024, 2);
        Costs after = Costs.of(small, 1024, 2);
        assertThat((double) after.macs() / before.macs()).isBetween(0.40, 0.60);
        assertThat(after.intensity()).isLessThan(before.intensity());
        Ort.checkShapes(small, 2);
    }

    @Test
    void refuseWhatTheyDoNotTake() {
        assertThatThrownBy(() -> Networks.named("alexnet", MNIST, 10))
                .hasMessage("no network is named 'alexnet'; there are mlp, lenet, lenet-speech, vgg11-speech, resnet18,"
                        + " resnet18-narrow, resnet152-basic, noscope-n1, noscope-n2, noscope-n3, noscope-n4, game-v1,"
                        + " game-v2, game-v3, game-v4, game-v5, game-v6, game-scaled-down");
        assertThatThrownBy(() -> Networks.named("lenet", List.of(1, 30, 30), 10))
                .hasMessage("LeNet-5 takes images of 28×28 or 32×32 pixels, got rows of the shape [1, 30, 30]");
        assertThatThrownBy(() -> Networks.named("mlp", List.of(784), 0))
                .hasMessage(
                        "mlp takes rows of at least 1 value and returns at least 1 class, got rows of the shape [784]"
                                + " and 0 classes");
        assertThatThrownBy(() -> Networks.named("resnet18", List.of(784), 10))
                .hasMessage("an image must have the shape (channels, height, width), got [784]");
        assertThatThrownBy(() -> Networks.named("game-v1", List.of(3, 2, 9), 10))
                .hasMessage("an image must not become empty, MaxPool 'pool1' would have the shape [32, 0, 4]");
    }
}
