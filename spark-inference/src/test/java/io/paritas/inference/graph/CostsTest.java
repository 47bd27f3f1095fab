/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.graph.Costs.Accounting;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostsTest {
    private static String digits(int count, double value) {
        return String.format(Locale.ROOT, "%." + count + "f", value);
    }

    private static Graph convolution(int channels, int height, int width, int groups) {
        GraphBuilder net = new GraphBuilder(channels, height, width);
        Convolution convolution = Convolution.same(channels, 3).groups(groups).withoutBias();
        return net.output(net.convolution(net.input(), convolution));
    }

    /** Thesis, table 9.3; the folded layer has twice the channels and a quarter of the batch. */
    @ParameterizedTest
    @CsvSource({"32, 1024, 18.74, 0.01, 37.51, 5398.07, 143.93", "64, 256, 9.37, 0.04, 18.82, 5398.07, 286.87"})
    void areThoseOfTable9_3(
            int channels,
            int rows,
            String activations,
            String weights,
            String bytes,
            String operations,
            String intensity) {
        LayerCost cost =
                Costs.of(convolution(channels, 11, 26, 1), rows, 2).layers().get(0);
        assertThat(digits(2, (cost.inputBytes() + cost.outputBytes()) / 2 / 1e6))
                .isEqualTo(activations);
        assertThat(digits(2, cost.weightBytes() / 2 / 1e6)).isEqualTo(weights);
        assertThat(digits(2, cost.bytes() / 1e6)).isEqualTo(bytes);
        assertThat(digits(2, cost.operations() / 1e6)).isEqualTo(operations);
        assertThat(digits(2, cost.intensity())).isEqualTo(intensity);
    }

    /** Thesis, 9.5.5: with G groups, 1/G of the operations, the weights and (for a large batch) the intensity. */
    @Test
    void countGroups() {
        LayerCost plain = Costs.of(convolution(32, 50, 50, 1), 1024, 2).layers().get(0);
        LayerCost grouped =
                Costs.of(convolution(32, 50, 50, 4), 1024, 2).layers().get(0);
        assertThat(grouped.operations()).isEqualTo(plain.operations() / 4);
        assertThat(grouped.weights()).isEqualTo(plain.weights() / 4);
        assertThat(grouped.intensity()).isCloseTo(plain.intensity() / 4, within(0.1));
    }

    /** Thesis, chapter 4: aggregate intensity of DLRM's perceptrons, in FP16, with sizes padded to multiples of 8. */
    @ParameterizedTest
    @CsvSource({
        "1, 7.4, 7.7",
        "256, 70.0, 109.8",
        "512, 81.1, 139.8",
        "1024, 88.0, 161.9",
        "2048, 92.0, 175.8",
        "4096, 94.1, 183.6"
    })
    void ofRecommendersArePublished(int rows, String bottom, String top) {
        assertThat(digits(
                        1,
                        Costs.of(Networks.dlrmBottom(), rows, 2, Accounting.PADDED_PRODUCTS)
                                .intensity()))
                .isEqualTo(bottom);
        assertThat(digits(
                        1,
                        Costs.of(Networks.dlrmTop(), rows, 2, Accounting.PADDED_PRODUCTS)
                                .intensity()))
                .isEqualTo(top);
    }

    /** Thesis, chapter 4: NoScope's networks as products of matrices, batch 64. */
    @ParameterizedTest
    @CsvSource({"NOSCOPE_N1, 15.1", "NOSCOPE_N3, 37.9", "NOSCOPE_N4, 51.9"})
    void ofConvolutionsAsProductsArePublished(NetworkName name, String intensity) {
        assertThat(digits(
                        1,
                        Costs.of(name.build(), 64, 2, Accounting.PADDED_PRODUCTS)
                                .intensity()))
                .isEqualTo(intensity);
    }

    @Test
    void countEveryParameterAndOnlyLinearWork() {
        Graph graph = Networks.resNet18(List.of(1, 28, 28), 10);
        Costs costs = Costs.of(graph, 8, 4);
        assertThat(costs.parameters()).isEqualTo(graph.parameters());
        assertThat(costs.layers()).hasSameSizeAs(graph.nodes());
        assertThat(costs.layers()).filteredOn(LayerCost::linear).hasSize(16);
        assertThat(costs.layers())
                .filteredOn(cost -> cost.node().op().equals("BatchNormalization"))
                .allMatch(cost -> cost.bytes() == 0
                        && cost.parameters() == 2L * cost.outputShape().get(0));
    }

    @Test
    void ofAProductAndASumAreThoseOfALinearLayer() {
        Graph split = RawGraph.of(6)
                .weight("w", 6, 5)
                .weight("b", 5)
                .node("MatMul", "m", "input", "w")
                .node("Add", "a", "m", "b")
                .build();
        GraphBuilder net = new GraphBuilder(6);
        Costs together = Costs.of(net.output(net.linear(net.input(), 5)), 7, 4);
        Costs apart = Costs.of(split, 7, 4);
        assertThat(Arrays.asList(apart.macs(), apart.weights(), apart.parameters(), apart.operations(), apart.bytes()))
                .containsExactly(30L, 30L, 35L, 7 * 65L, 4 * (7 * 11 + 30L))
                .isEqualTo(Arrays.asList(
                        together.macs(),
                        together.weights(),
                        together.parameters(),
                        together.operations(),
                        together.bytes()));
    }

    @Test
    void haveAText() {
        assertThat(Costs.of(NetworkName.NOSCOPE_N1.build(), 1024, 2))
                .hasToString("8.12 M multiplications, 58.7 operations per byte");
    }

    @Test
    void refuseNothing() {
        assertThatThrownBy(() -> Costs.of(Networks.dlrmTop(), 0, 2))
                .hasMessage("costs need at least 1 row of elements of at least 1 byte, got 0 rows of 2 bytes");
    }
}
