/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.graph.GraphBuilder.Convolution;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitialisationTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);
    private static final Graph GRAPH = graph();

    private static Graph graph() {
        GraphBuilder builder = new GraphBuilder(16, 8, 8);
        var image = builder.convolution(builder.input(), Convolution.same(32, 3).groups(2));
        var flat = builder.flatten(builder.batchNorm(image));
        return builder.output(builder.linear(builder.dropout(flat, 0.25f), 40));
    }

    private static float[] weight(Initialisation how, String name) {
        return how.apply(GRAPH, SEED).weights().get(name).values();
    }

    private static DoubleStream stream(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]);
    }

    private static double largest(float[] values) {
        return stream(values).map(Math::abs).max().orElseThrow();
    }

    /** Within the bound, close to it, and with the deviation of a uniform distribution. */
    private static void uniform(float[] values, double bound) {
        double[] sorted = stream(values).sorted().toArray();
        double slack = bound * 10 / values.length;
        assertThat(sorted[0]).isBetween(-bound * 1.000001, -bound + slack * 2);
        assertThat(sorted[sorted.length - 1]).isBetween(bound - slack * 2, bound * 1.000001);
        assertThat(deviation(values)).isCloseTo(bound / Math.sqrt(3), within(bound * 2 / Math.sqrt(values.length)));
    }

    private static double deviation(float[] values) {
        return Math.sqrt(stream(values).map(x -> x * x).average().orElseThrow());
    }

    private static void gaussian(float[] values, double deviation) {
        assertThat(deviation(values)).isCloseTo(deviation, within(deviation * 3 / Math.sqrt(values.length)));
        double beyond = stream(values).filter(x -> Math.abs(x) > 2 * deviation).count();
        assertThat(beyond / values.length).isCloseTo(0.0455, within(0.0455 * 0.3));
    }

    @ParameterizedTest
    @EnumSource
    void equalSeedsGiveEqualWeights(Initialisation how) {
        assertThat(how.apply(GRAPH, 5).weights()).isEqualTo(how.apply(GRAPH, 5).weights());
        assertThat(how.apply(GRAPH, 5).weights().get("fc1.weight"))
                .isNotEqualTo(how.apply(GRAPH, 6).weights().get("fc1.weight"));
    }

    @ParameterizedTest
    @EnumSource
    void normalisationsStartAsIdentitiesAndConstantsStay(Initialisation how) {
        Graph used = GRAPH.with(GRAPH.weights().values().stream()
                .filter(weight -> weight.name().startsWith("bn1"))
                .map(weight -> weight.with(TestGraphs.values(weight.size())))
                .toList());
        Graph fresh = how.apply(used, SEED);
        for (String name : new String[] {"bn1.scale", "bn1.variance"}) {
            assertThat(fresh.weights().get(name).values()).containsOnly(1);
        }
        for (String name : new String[] {"bn1.shift", "bn1.mean"}) {
            assertThat(fresh.weights().get(name).values()).containsOnly(0);
        }
        assertThat(fresh.weights().get("dropout1.ratio").values()).containsExactly(0.25f);
    }

    @Test
    void pytorchDrawsWithinTheRootOfTheInputs() {
        uniform(weight(Initialisation.PYTORCH, "conv1.weight"), 1 / Math.sqrt(8 * 9));
        uniform(weight(Initialisation.PYTORCH, "conv1.bias"), 1 / Math.sqrt(8 * 9));
        uniform(weight(Initialisation.PYTORCH, "fc1.weight"), 1 / Math.sqrt(32 * 64));
        uniform(weight(Initialisation.PYTORCH, "fc1.bias"), 1 / Math.sqrt(32 * 64));
    }

    @Test
    void xavierCountsInputsAndOutputs() {
        uniform(weight(Initialisation.XAVIER, "conv1.weight"), Math.sqrt(2) * Math.sqrt(6.0 / (8 * 9 + 32 * 9)));
        gaussian(weight(Initialisation.XAVIER, "fc1.weight"), 0.01);
        assertThat(weight(Initialisation.XAVIER, "conv1.bias")).containsOnly(0);
        assertThat(weight(Initialisation.XAVIER, "fc1.bias")).containsOnly(0);
    }

    @Test
    void heCountsOutputs() {
        gaussian(weight(Initialisation.HE, "conv1.weight"), Math.sqrt(2.0 / (32 * 9)));
        uniform(weight(Initialisation.HE, "fc1.weight"), 1 / Math.sqrt(32 * 64));
    }

    /** A MatMul has its inputs first, and its bias is another operator's, here even in front of it. */
    @Test
    void aMatMulAndItsBiasAreALinearLayer() {
        Graph fresh = Initialisation.PYTORCH.apply(GraphTest.matMulAndAdd(), SEED);
        double bound = 1 / Math.sqrt(2);
        assertThat(largest(fresh.weights().get("matrix").values())).isBetween(bound / 2, bound);
        assertThat(largest(fresh.weights().get("bias").values())).isBetween(bound / 2, bound);
        assertThat(fresh.weights().get("mean").values()).containsExactly(1, 2);
    }
}
