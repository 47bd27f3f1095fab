/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoldedNetworkTest {
    private static final int FEATURES = 2;

    /** The scores of each image are the sums of its stack: whatever the order is. */
    private static FoldedNetwork sums(int fold) {
        GraphBuilder builder = new GraphBuilder(fold * FEATURES);
        Graph linear = builder.output(builder.linear(builder.input(), fold * FEATURES));
        int side = fold * FEATURES;
        float[] matrix = new float[side * side];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = i / side % FEATURES == i % side % FEATURES ? 1 : 0;
        }
        Graph folded = linear.with(List.of(
                linear.weights().get("fc1.weight").with(matrix),
                linear.weights().get("fc1.bias").with(new float[side])));
        GraphBuilder original = new GraphBuilder(FEATURES);
        Graph one = original.output(original.linear(original.input(), FEATURES));
        return FoldedNetwork.of(Bundle.of(
                        BundleKind.FOLDED,
                        new DeployedModel(one.toModelFile(), one.input(), one.output()),
                        Map.of(FoldedNetwork.NETWORK, folded.toModelFile()))
                .withSettings(Map.of("fold", String.valueOf(fold), "multiplier", "1.0", "rounding", "down")));
    }

    /** No stack is cut in two, whatever the batches are. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 300})
    void anAnswerThatDoesNotDependOnTheOrderStays(int fold) {
        Random random = new Random(1);
        float[] rows = new float[FEATURES * 601];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = random.nextInt(100);
        }
        Examples examples = new Examples(
                Inputs.of(rows, List.of(FEATURES)), Predictions.of(rows.clone(), FEATURES), Optional.empty());
        assertThat(sums(fold).measure(examples, ModelOptions.DEFAULT)).containsEntry("same-in-another-order", 1.0);
    }
}
