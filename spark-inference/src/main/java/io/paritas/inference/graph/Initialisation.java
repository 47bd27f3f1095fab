/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** How fresh weights are drawn. Normalisations always start at scale and variance 1, shift and mean 0. */
public enum Initialisation {
    /** Kernels, matrices and biases uniform in ±1/√(inputs of one output): PyTorch's default. */
    PYTORCH,
    /** Kernels Xavier-uniform with gain √2, matrices N(0, 0.01²), biases 0: the published codes' (thesis, 7 to 9). */
    XAVIER,
    /** Kernels N(0, 2 / (height · width · outputs)), the rest as {@link #PYTORCH}: the published base ResNets'. */
    HE;

    /** The graph with fresh weights; equal seeds give equal weights. */
    public Graph apply(Graph graph, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Weight> fresh = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            double fanIn = 0;
            for (int i = 1; i < node.inputs().size(); i++) {
                Weight weight = graph.weights().get(node.input(i));
                if (weight != null) {
                    fanIn = i == 1 ? fanIn(node, weight) : fanIn;
                    fresh.put(weight.name(), weight.with(draw(weight, fanIn, random)));
                }
            }
        }
        return graph.with(fresh.values());
    }

    /** Inputs that are summed for one output of a convolution or a linear layer. */
    private static double fanIn(Node node, Weight weight) {
        boolean outputsFirst = node.op().equals("Conv") || node.integer("transB", 0) == 1;
        return outputsFirst ? weight.size() / (double) weight.shape()[0] : weight.shape()[0];
    }

    private float[] draw(Weight weight, double fanIn, SplittableRandom random) {
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
        double fanOut = shape[0] * (double) shape[2] * shape[3];
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
