/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.graph.Costs;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Ort;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The specialised networks of the thesis (chapter 9) and their folds, against the tables that follow from its program. */
class PublishedFoldsTest {
    private static Graph folded(NetworkName name, int fold) {
        return Folding.fold(name.build(), FoldOptions.of(fold));
    }

    private static long[] parse(String list) {
        return Arrays.stream(list.trim().split(" +", -1))
                .mapToLong(text -> Long.parseLong(text.replace("_", "")))
                .toArray();
    }

    /** Inputs of the linear layers: of the first, that is what the flattening leaves. */
    private static long linearIn(Graph graph, int index) {
        List<Node> layers =
                graph.nodes().stream().filter(node -> node.op().equals("Gemm")).toList();
        return graph.weights().get(layers.get(index).input(1)).shape()[1];
    }

    /** Channels of the first and the last convolution, and inputs of the first linear layer, for f = 1, 2, 3, 4. */
    @ParameterizedTest
    @CsvSource({
        "GAME_V1, 32 45 55 64, 8 11 13 16, 264 363 429 528",
        "GAME_V2, 32 45 55 64, 8 11 13 16, 96 132 156 192",
        "GAME_V3, 32 45 55 64, 8 11 13 16, 128 176 208 256",
        "GAME_V4, 32 45 55 64, 8 11 13 16, 64 88 104 128",
        "GAME_V5, 32 45 55 64, 8 11 13 16, 264 363 429 528",
        "GAME_V6, 32 45 55 64, 8 11 13 16, 112 154 182 224",
        "NOSCOPE_N1, 16 22 27 32, 16 22 27 32, 10000 13750 16875 20000",
        "NOSCOPE_N2, 16 22 27 32, 16 22 27 32, 10000 13750 16875 20000",
        "NOSCOPE_N3, 32 45 55 64, 64 90 110 128, 9216 12960 15840 18432",
        "NOSCOPE_N4, 64 90 110 128, 64 90 110 128, 40000 56250 68750 80000"
    })
    void haveThePublishedChannels(NetworkName name, String first, String last, String linear) {
        for (int fold = 1; fold <= 4; fold++) {
            Graph graph = folded(name, fold);
            List<Node> convolutions = graph.nodes().stream()
                    .filter(node -> node.op().equals("Conv"))
                    .toList();
            int[] kernel = graph.weights().get(convolutions.get(0).input(1)).shape();
            assertThat(kernel).containsExactly((int) parse(first)[fold - 1], 3 * fold, 3, 3);
            Node end = convolutions.get(convolutions.size() - 1);
            assertThat(graph.weights().get(end.input(1)).shape()[0]).isEqualTo((int) parse(last)[fold - 1]);
            assertThat(linearIn(graph, 0)).isEqualTo(parse(linear)[fold - 1]);
            assertThat(graph.output().shape()).containsExactly(fold * name.classes());
        }
    }

    /** Hidden units of NoScope's networks: the inputs of the second linear layer. */
    @ParameterizedTest
    @CsvSource({"NOSCOPE_N1, 128 181 221 256", "NOSCOPE_N3, 32 45 55 64", "NOSCOPE_N4, 32 45 55 64"})
    void haveThePublishedHiddenUnits(NetworkName name, String hidden) {
        for (int fold = 1; fold <= 4; fold++) {
            assertThat(linearIn(folded(name, fold), 1)).isEqualTo(parse(hidden)[fold - 1]);
        }
    }

    /** Multiplications for one stack. */
    @ParameterizedTest
    @CsvSource({
        "GAME_V1, 8_327_256 17_276_376 26_713_467 37_274_304",
        "GAME_V2, 3_559_776 7_376_808 11_397_771 15_889_152",
        "GAME_V3, 5_026_944 10_422_690 16_109_730 22_465_536",
        "GAME_V4, 7_235_136 14_779_152 22_610_124 31_228_416",
        "GAME_V5, 8_353_656 17_348_976 26_842_167 37_485_504",
        "GAME_V6, 3_923_456 8_135_296 12_574_677 17_536_000",
        "NOSCOPE_N1, 8_120_256 16_349_474 25_600_701 36_802_048",
        "NOSCOPE_N2, 8_120_256 16_349_474 25_600_701 36_802_048",
        "NOSCOPE_N3, 60_054_976 120_564_630 182_165_280 248_860_160",
        "NOSCOPE_N4, 97_760_064 196_931_430 298_306_580 408_320_512"
    })
    void haveThePublishedOperations(NetworkName name, String macs) {
        for (int fold = 1; fold <= 4; fold++) {
            assertThat(Costs.of(folded(name, fold), 1, 2).macs()).isEqualTo(parse(macs)[fold - 1]);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GAME_V1, 33_720 69_546 106_722 149_952",
        "GAME_V4, 60_192 120_987 182_664 251_136",
        "NOSCOPE_N1, 1_282_992 2_495_018 3_739_449 5_134_720",
        "NOSCOPE_N3, 360_352 713_385 1_066_560 1_445_120",
        "NOSCOPE_N4, 1_318_656 2_609_190 3_899_390 5_281_792"
    })
    void haveThePublishedWeights(NetworkName name, String weights) {
        for (int fold = 1; fold <= 4; fold++) {
            assertThat(Costs.of(folded(name, fold), 1, 2).weights()).isEqualTo(parse(weights)[fold - 1]);
        }
    }

    /**
     * Aggregate intensity for 1024 images (1024 / f stacks, the last one dropped if not full) in FP16. The numbers are only
     * met if the addition of a bias counts as one operation, which the thesis' formula 9.3 leaves out. V3 with f = 1 is
     * 88.148 here; the table of our specification has 88.2, rounded twice.
     */
    @ParameterizedTest
    @CsvSource({
        "GAME_V1, 87.3 126.7 158.4 187.8",
        "GAME_V2, 88.6 128.4 160.1 189.4",
        "GAME_V3, 88.1 127.8 159.6 189.0",
        "GAME_V4, 102.3 146.5 181.3 213.0",
        "GAME_V5, 87.5 126.9 158.5 187.7",
        "GAME_V6, 88.6 128.4 160.1 189.3",
        "NOSCOPE_N1, 58.7 82.4 101.3 118.8",
        "NOSCOPE_N2, 58.7 82.4 101.3 118.8",
        "NOSCOPE_N3, 151.5 214.1 262.5 305.9",
        "NOSCOPE_N4, 185.2 262.4 321.8 374.6"
    })
    void haveThePublishedIntensity(NetworkName name, String intensities) {
        for (int fold = 1; fold <= 4; fold++) {
            double intensity = Costs.of(folded(name, fold), 1024 / fold, 2).intensity();
            assertThat(String.format(Locale.ROOT, "%.1f", intensity))
                    .isEqualTo(intensities.split(" ", -1)[fold - 1]);
        }
    }

    /** Every network, folded by 2 to 4 with both ways of rounding: shapes fit, and ONNX Runtime finds the same. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"RESNET152_BASIC", "LENET_SPEECH", "VGG11_SPEECH", "RESNET18"})
    void run(NetworkName name) {
        for (int fold = 2; fold <= 4; fold++) {
            for (FoldOptions.Rounding rounding : FoldOptions.Rounding.values()) {
                Graph folded = Folding.fold(name.build(), FoldOptions.of(fold).withRounding(rounding));
                assertThat(folded.input().shape().get(0))
                        .isEqualTo(fold * name.shape().get(0));
                assertThat(folded.output().shape()).containsExactly(fold * name.classes());
                Ort.checkShapes(folded, 2);
            }
        }
    }

    /** Too large for many runs: folding checks the shapes itself. */
    @ParameterizedTest
    @EnumSource(names = {"LENET_SPEECH", "VGG11_SPEECH", "RESNET18"})
    void foldLargeNetworks(NetworkName name) {
        assertThat(folded(name, 2).output().shape()).containsExactly(2 * name.classes());
    }
}
