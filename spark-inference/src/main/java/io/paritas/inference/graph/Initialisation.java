/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.PublicApi;
import io.paritas.inference.graph.Weight.Role;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** How fresh weights are drawn. Normalisations always start at scale and variance 1, shift and mean 0. */
@PublicApi
public enum Initialisation {
    /** PyTorch's default: kernels, matrices and biases uniform in ±1/√(inputs of one output). */
    PYTORCH,
    /** As for the published codes (thesis, 7 to 9): kernels Xavier-uniform with gain √2, matrices N(0, 0.01²), biases 0. */
    XAVIER,
    /** As for the published base ResNets: kernels N(0, 2 / (height · width · outputs)), the rest as {@link #PYTORCH}. */
    HE;

    /** The graph with fresh weights. Equal seeds give equal weights. */
    public Graph apply(Graph graph, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Weight> fresh = new LinkedHashMap<>();
        Map<String, Double> fanIns = new HashMap<>();
        for (Node node : graph.nodes()) {
            double fanIn = fanIn(node, graph, fanIns);
            fanIns.put(node.output(), fanIn);
            for (String name : node.inputs()) {
                Weight weight = graph.weights().get(name);
                if (weight != null) {
                    fresh.put(name, weight.with(draw(weight, fanIn, random)));
                }
            }
        }
        return graph.with(fresh.values());
    }

    /**
     * Number of inputs that are summed for one output of a convolution or linear layer; for an {@code Add}, which may be a bias,
     * that of the layer before; otherwise 0.
     */
    private static double fanIn(Node node, Graph graph, Map<String, Double> before) {
        Weight weight = node.hasInput(1) ? graph.weights().get(node.input(1)) : null;
        boolean layer = weight != null && (weight.role() == Role.KERNEL || weight.role() == Role.MATRIX);
        if (layer && (node.op().equals("Conv") || node.flag("transB"))) {
            return weight.size() / (double) weight.shape()[0];
        }
        if (layer) {
            return weight.shape()[Math.max(0, weight.shape().length - 2)];
        }
        return node.op().equals("Add")
                ? node.inputs().stream()
                        .mapToDouble(name -> before.getOrDefault(name, 0.0))
                        .max()
                        .orElse(0)
                : 0;
    }

    /**
     * Fresh values for one weight. A {@link Role#CONSTANT} keeps its values.
     *
     * @param fanIn number of inputs that are summed for one output of its layer; 0 if unknown or none
     */
    public float[] draw(Weight weight, double fanIn, SplittableRandom random) {
        float[] values = new float[weight.size()];
        switch (weight.role()) {
            case SCALE, VARIANCE -> Arrays.fill(values, 1);
            case KERNEL -> kernel(values, weight.shape(), fanIn, random);
            case MATRIX -> {
                if (this == XAVIER) {
                    gaussian(values, 0.01, random);
                } else {
                    uniform(values, 1 / Math.sqrt(fanIn), random);
                }
            }
            case BIAS -> {
                if (this != XAVIER && fanIn > 0) {
                    uniform(values, 1 / Math.sqrt(fanIn), random);
                }
            }
            case SHIFT, MEAN -> {}
            case CONSTANT -> {
                return weight.values();
            }
        }
        return values;
    }

    private void kernel(float[] values, int[] shape, double fanIn, SplittableRandom random) {
        double fanOut = values.length / (double) shape[1];
        switch (this) {
            case PYTORCH -> uniform(values, 1 / Math.sqrt(fanIn), random);
            case XAVIER -> uniform(values, Math.sqrt(2) * Math.sqrt(6 / (fanIn + fanOut)), random);
            case HE -> gaussian(values, Math.sqrt(2 / fanOut), random);
        }
    }

    private static void uniform(float[] values, double bound, SplittableRandom random) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(-bound, bound);
        }
    }

    private static void gaussian(float[] values, double deviation, SplittableRandom random) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextGaussian() * deviation);
        }
    }
}
