/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.recommend.data.Tables;
import java.util.List;
import org.junit.jupiter.api.Test;

class DlrmShapeTest {
    private static final Tables TWO = Tables.of(10, 20);

    @Test
    void theEvaluatedNetworkHasThePublishedNumberOfParameters() {
        DlrmShape shape = DlrmShape.evaluated(1000);
        assertThat(shape.parameterCount()).isEqualTo(2_140_545);
        assertThat(shape.topLayers().get(0).inputs()).isEqualTo(256);
    }

    @Test
    void theReferenceNetworkTakesThePairsOf27Vectors() {
        DlrmShape shape = DlrmShape.reference(Tables.equal(26, 100));
        assertThat(shape.topLayers().get(0).inputs()).isEqualTo(16 + 27 * 26 / 2);
        assertThat(shape.parameterCount())
                .isEqualTo(14 * 512 + 513 * 256 + 257 * 64 + 65 * 16 + 368 * 512 + 513 * 256 + 257);
    }

    @Test
    void parametersFollowEachOther() {
        DlrmShape shape = new DlrmShape(2, List.of(3), TWO, 4, Interaction.CONCATENATION, List.of(5));
        assertThat(shape.parameters())
                .containsExactly(
                        new Parameter("bottom.0.weight", 0, 6),
                        new Parameter("bottom.0.bias", 6, 3),
                        new Parameter("top.0.weight", 9, 55),
                        new Parameter("top.0.bias", 64, 5),
                        new Parameter("top.1.weight", 69, 5),
                        new Parameter("top.1.bias", 74, 1));
        assertThat(shape.parameterCount()).isEqualTo(75);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        refuses("denseFeatures must be at least 1, got 0", 0, List.of(3), 4, Interaction.DOT, List.of());
        refuses("dimension must be at least 1, got 0", 1, List.of(3), 0, Interaction.DOT, List.of());
        refuses("the bottom network must have at least 1 layer, got none", 1, List.of(), 4, Interaction.DOT, List.of());
        refuses("layers must have at least 1 output, got [4] and [0]", 1, List.of(4), 4, Interaction.DOT, List.of(0));
        refuses(
                "for inner products, the bottom network must have as many outputs as a row has numbers, got [4, 3] and rows of 4",
                1,
                List.of(4, 3),
                4,
                Interaction.DOT,
                List.of());
        refuses(
                "the networks must have less than 2^31 parameters, got layers of [4] and [50000, 50000]",
                1,
                List.of(4),
                4,
                Interaction.DOT,
                List.of(50000, 50000));
    }

    private static void refuses(
            String message,
            int denseFeatures,
            List<Integer> bottom,
            int dimension,
            Interaction interaction,
            List<Integer> top) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DlrmShape(denseFeatures, bottom, TWO, dimension, interaction, top))
                .withMessage(message);
    }
}
