/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.nn.Precision;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Weight;
import java.util.List;
import java.util.Random;

/** Networks with random weights, beside ONNX Runtime. */
final class Reference {
    static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);

    /** How far a prediction may be from ONNX Runtime's, as a part of the largest one: docs/gpu.md states these. */
    private static final double SINGLE_BOUND = 5e-5;

    private static final double HALF_BOUND = 4e-3;

    private Reference() {}

    /** Weights that keep values near 1 through many layers; every normalisation does something. */
    static Graph random(Graph graph) {
        Random random = new Random(SEED);
        List<Weight> weights = graph.weights().values().stream()
                .map(weight -> random(weight, random))
                .toList();
        return graph.with(weights);
    }

    private static Weight random(Weight weight, Random random) {
        int[] shape = weight.shape();
        double outputs = shape.length == 0 ? 1 : shape[0];
        double spread = Math.sqrt(2 * outputs / Math.max(1, weight.size()));
        float[] values = new float[weight.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float)
                    switch (weight.role()) {
                        case KERNEL, MATRIX -> random.nextGaussian() * spread;
                        case SCALE -> 0.5 + random.nextDouble() / 2;
                        case VARIANCE -> 1 + random.nextDouble();
                        default -> random.nextGaussian() / 4;
                    };
        }
        return weight.with(values);
    }

    static float[] rows(Graph graph, int rows) {
        Random random = new Random(SEED);
        float[] values = new float[rows * graph.input().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    /** What ONNX Runtime says. */
    static float[] predict(Graph graph, float[] rows) {
        ModelOptions options = ModelOptions.DEFAULT.withEngine("onnxruntime").withDevice(Device.CPU);
        try (Model model = ModelEngines.load(graph.toModelFile(), options)) {
            return model.predict(rows);
        }
    }

    static GpuModel load(Graph graph, Precision precision) {
        GpuModel.Limits limits = new GpuModel.Limits(2, 512L << 20);
        return GpuModel.load(graph.input(), graph.output(), Planner.plan(graph, precision), limits);
    }

    /** A model on the GPU predicts what ONNX Runtime does. */
    static void check(String what, Graph graph, int rows) {
        float[] inputs = rows(graph, rows);
        float[] expected = predict(graph, inputs);
        for (Precision precision : Precision.values()) {
            try (GpuModel model = load(graph, precision)) {
                isNear(what + " in " + precision, expected, model.predict(inputs), precision);
            }
        }
    }

    static void isNear(String what, float[] expected, float[] got, Precision precision) {
        assertThat(got).as(what).hasSameSizeAs(expected);
        double most = 0;
        for (float value : expected) {
            most = Math.max(most, Math.abs(value));
        }
        double bound = most * (precision == Precision.HALF ? HALF_BOUND : SINGLE_BOUND);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) Math.abs(expected[i] - got[i]))
                    .as("%s, value %d: expected %s, got %s, seed %d", what, i, expected[i], got[i], SEED)
                    .isLessThanOrEqualTo(bound);
        }
    }
}
