/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RandomGraphs;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Networks drawn at random, folded with f times the channels. If every layer computes each image of a stack by the original's weights,
 * which lie in blocks on the diagonal, the folded network is the original, image by image.
 */
class RandomFoldsTest {
    private static final int STACKS = 2;

    @Test
    void withTheOriginalsWeightsTheyAreTheOriginal() {
        int compared = 0;
        for (long seed : RandomGraphs.seeds(200).toArray()) {
            Graph graph = RandomGraphs.of(seed);
            int fold = 2 + (int) (seed % 3);
            Optional<Graph> folded = folded(graph, fold);
            if (folded.isPresent()) {
                float[] inputs = TestGraphs.values(STACKS * fold * graph.input().size());
                assertThat(Ort.run(folded.get(), inputs, STACKS))
                        .as("seed %d", seed)
                        .containsExactly(Ort.run(graph, inputs, STACKS * fold), within(1e-4f));
                compared++;
            }
        }
        assertThat(compared).as("networks that can be folded").isGreaterThan(20);
    }

    /** Empty if it cannot be folded, or has layers that see several images at once. */
    private static Optional<Graph> folded(Graph graph, int fold) {
        if (graph.nodes().stream().anyMatch(node -> mixes(graph, node))) {
            return Optional.empty();
        }
        Graph folded;
        try {
            folded = Folding.fold(graph, FoldOptions.of(fold).withMultiplier(fold));
        } catch (ModelException e) {
            return Optional.empty();
        }
        List<Weight> weights = new ArrayList<>();
        for (Weight weight : folded.weights().values()) {
            weights.add(filled(weight, graph.weights().get(weight.name()), fold));
        }
        return Optional.of(folded.with(weights));
    }

    /** Whether the folded operator puts parts of the images beside one another, or groups channels of several. */
    private static boolean mixes(Graph graph, Node node) {
        Map<String, List<Integer>> shapes = graph.shapes();
        long axis = node.integer("axis", 1);
        long groups = node.integer("group", 1);
        return switch (node.op()) {
            case "Concat" -> axis == 1 || axis == -shapes.get(node.output()).size();
            case "Conv" -> groups > 1 && groups != shapes.get(node.input(0)).get(0);
            default -> false;
        };
    }

    private static Weight filled(Weight folded, Weight original, int fold) {
        int[] shape = folded.shape();
        int[] part = original.shape();
        boolean blocks =
                switch (folded.role()) {
                    case KERNEL, MATRIX -> shape[0] == fold * part[0] && shape[1] == fold * part[1];
                    default -> false;
                };
        float[] values = new float[folded.size()];
        float[] from = original.values();
        if (folded.role() == Weight.Role.CONSTANT) {
            return folded;
        }
        if (!blocks) {
            for (int i = 0; i < values.length; i++) {
                values[i] = from[i % from.length];
            }
            return folded.with(values);
        }
        int inner = from.length / (part[0] * part[1]);
        for (int image = 0; image < fold; image++) {
            for (int i = 0; i < part[0]; i++) {
                int to = ((image * part[0] + i) * shape[1] + image * part[1]) * inner;
                System.arraycopy(from, i * part[1] * inner, values, to, part[1] * inner);
            }
        }
        return folded.with(values);
    }
}
