/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.Device;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.RandomGraphs;
import io.paritas.inference.protect.LayerFindings;
import java.util.Collections;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks drawn at random, with checks and without, beside ONNX Runtime. */
@Tag("kernels")
class RandomNetworksOnGpuTest {
    private static final int[] ROWS = {1, 2, 3, 5};
    private static final Scheme[] SCHEMES = {Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED, Scheme.DUPLICATION};

    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    static LongStream seeds() {
        return RandomGraphs.seeds(60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void computeWhatOnnxRuntimeDoes(long seed) {
        Graph graph = RandomGraphs.of(seed);
        float[] inputs = Reference.rows(graph, ROWS[(int) (seed % ROWS.length)]);
        float[] expected = Reference.predict(graph, inputs);
        Scheme scheme = SCHEMES[(int) (seed / ROWS.length % SCHEMES.length)];
        for (Precision precision : Precision.values()) {
            Optional<NetworkPlan> plan = plan(graph, precision);
            if (plan.isPresent()) {
                float[] got = predict(graph, plan.get(), inputs);
                Reference.isNear(precision + " of seed " + seed, expected, got, precision);
                int layers = plan.get().layers().size();
                NetworkPlan checked = Checking.add(plan.get(), Collections.nCopies(layers, scheme));
                assertThat(predict(graph, checked, inputs)).as("%s", scheme).isEqualTo(got);
            }
        }
    }

    private static Optional<NetworkPlan> plan(Graph graph, Precision precision) {
        try {
            return Optional.of(Planner.plan(graph, precision));
        } catch (UnsupportedModelException e) {
            return Optional.empty();
        }
    }

    /** Nothing is wrong, so nothing may be found. */
    private static float[] predict(Graph graph, NetworkPlan plan, float[] inputs) {
        GpuModel.Limits limits = new GpuModel.Limits(1, 512L << 20);
        try (GpuModel model = GpuModel.load(graph.input(), graph.output(), plan, limits);
                LayerFindings found = LayerFindings.open()) {
            float[] got = model.predict(inputs);
            assertThat(found.counts().detections()).isZero();
            assertThat(found.counts().unchecked()).isZero();
            return got;
        }
    }
}
