/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Weight;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model whose outputs are matrix · x + bias, with exact parity models that nobody trains: parity j answers the weighted sum of the
 * inputs with matrix · sum + total_j · bias, which is the weighted sum of the outputs, because the weights of every group sum to
 * total_j. Reconstructions differ from the outputs by rounding only; {@link #errorBound} says by how much. Immutable.
 */
@PublicApi
public final class LinearCode implements Serializable {
    private static final long serialVersionUID = 1;

    /** Half a unit in the last place of 1, in float32. */
    private static final double ROUNDING = 0x1p-24;

    private static final String LAYER = "margins";

    private final double[][] matrix;
    private final double[] bias;

    /**
     * A model with these weights.
     *
     * @param matrix a row of weights for each output
     * @param bias a value for each output
     * @throws IllegalArgumentException if the sizes do not fit, or a weight is no number within float32
     */
    public LinearCode(double[][] matrix, double[] bias) {
        boolean rectangular = matrix.length > 0
                && matrix[0].length > 0
                && matrix.length == bias.length
                && Arrays.stream(matrix).allMatch(row -> row.length == matrix[0].length);
        if (!rectangular) {
            throw new IllegalArgumentException(
                    "a linear model needs a row of as many weights and a bias for each output,"
                            + " got " + bias.length + " biases and rows of "
                            + Arrays.toString(Arrays.stream(matrix)
                                    .mapToInt(row -> row.length)
                                    .toArray()));
        }
        Arrays.stream(matrix).flatMapToDouble(Arrays::stream).forEach(LinearCode::requireFloat);
        Arrays.stream(bias).forEach(LinearCode::requireFloat);
        this.matrix = Arrays.stream(matrix).map(double[]::clone).toArray(double[][]::new);
        this.bias = bias.clone();
    }

    private static void requireFloat(double weight) {
        if (!Float.isFinite((float) weight)) {
            throw new IllegalArgumentException("weights and biases must be finite in float32, got " + weight);
        }
    }

    /** The model, as a graph with one layer, to deploy. */
    public DeployedModel deployed() {
        Graph graph = graph(1);
        return new DeployedModel(graph.toModelFile(), graph.input(), graph.output());
    }

    /**
     * The model of exact parity models, from its parity 0.
     *
     * @throws IllegalArgumentException if they are not those of {@link #parity}
     */
    static LinearCode of(ModelFile parity, Combinations code) {
        Graph graph = Graph.of(parity);
        Weight weights = graph.weights().get(LAYER + ".weight");
        Weight biases = graph.weights().get(LAYER + ".bias");
        if (weights == null || biases == null) {
            throw new IllegalArgumentException("the parity model of a linear model must have the layer '" + LAYER
                    + "', got " + graph.weights().keySet());
        }
        int features = weights.size() / biases.size();
        double[][] matrix = new double[biases.size()][features];
        double[] bias = new double[matrix.length];
        for (int output = 0; output < matrix.length; output++) {
            bias[output] = biases.values()[output] / code.total(0);
            for (int i = 0; i < features; i++) {
                matrix[output][i] = weights.values()[output * features + i];
            }
        }
        return new LinearCode(matrix, bias);
    }

    /** The parity models of {@link #deployed}. */
    public ParityModels parity(Combinations code) {
        ParityPlan plan = new ParityPlan(code, Encoding.ADDITION, Target.OUTPUTS);
        Map<String, ModelFile> models = new LinkedHashMap<>();
        for (int parity = 0; parity < code.r(); parity++) {
            models.put(ParityModels.role(parity), graph(code.total(parity)).toModelFile());
        }
        Map<String, String> settings = ParityModels.settings(plan);
        settings.put(ParityModels.EXACT, "true");
        return ParityModels.of(Bundle.of(BundleKind.PARITY, deployed(), models).withSettings(settings));
    }

    private Graph graph(double total) {
        GraphBuilder builder = new GraphBuilder(matrix[0].length);
        Graph graph = builder.output(builder.linear(LAYER, builder.input(), matrix.length));
        float[] weights =
                floats(Arrays.stream(matrix).flatMapToDouble(Arrays::stream).toArray());
        float[] biases = floats(Arrays.stream(bias).map(value -> total * value).toArray());
        return graph.with(List.of(
                graph.weights().get(LAYER + ".weight").with(weights),
                graph.weights().get(LAYER + ".bias").with(biases)));
    }

    private static float[] floats(double[] values) {
        float[] result = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = (float) values[i];
        }
        return result;
    }

    /**
     * How far an output may be from matrix · x + bias in exact arithmetic, for inputs of that magnitude: the standard bound of
     * rounding, m·u / (1 − m·u) for m operations, times the sum of the magnitudes of all terms. Weights and inputs are
     * rounded to float32 first; nothing may overflow or underflow. Of a reconstruction: both of the parity's answer and of
     * the k predictions, through the inverse of the worst system of equations.
     *
     * @param largest magnitude of all input values in the group
     * @param lost predictions that are lost together in a group, 0 to r; 0 for a prediction
     * @return a bound for each output; infinite if nothing is known
     * @throws IllegalArgumentException if lost is out of its range
     */
    public double[] errorBound(Combinations code, double largest, int lost) {
        if (lost < 0 || lost > code.r()) {
            throw new IllegalArgumentException("0 to r = " + code.r() + " predictions can be lost, got " + lost);
        }
        int features = matrix[0].length;
        double factor = lost == 0
                ? relative(features + 3)
                : 2 * relative(features + code.k() + 8) * Amplification.of(code, lost);
        double[] bounds = new double[matrix.length];
        for (int output = 0; output < bounds.length; output++) {
            bounds[output] = known(factor * terms(output, largest));
        }
        return bounds;
    }

    /**
     * How far a parity's answer may be from the combination of the group's predictions, all in float32: the errors of both, through
     * their weights, which sum to total. No output's bound is larger.
     *
     * @param largest magnitude of all input values in the group
     * @return the bound; infinite if nothing is known
     */
    double residualBound(Combinations code, int parity, double largest) {
        int features = matrix[0].length;
        double bound = 0;
        for (int output = 0; output < matrix.length; output++) {
            bound = Math.max(bound, terms(output, largest));
        }
        return known(2 * relative(features + code.k() + 8) * code.total(parity) * bound);
    }

    /** The sum of the magnitudes of all terms of an output. */
    private double terms(int output, double largest) {
        double terms = Math.abs(bias[output]);
        for (double weight : matrix[output]) {
            terms += Math.abs(weight) * largest;
        }
        return terms;
    }

    /** A bound that is no number, as zero times infinity, is none: nothing would be beyond it. */
    private static double known(double bound) {
        return Double.isNaN(bound) ? Double.POSITIVE_INFINITY : bound;
    }

    /** Infinite where so many operations may leave nothing of a number. */
    static double relative(int operations) {
        double error = operations * ROUNDING;
        return error < 1 ? error / (1 - error) : Double.POSITIVE_INFINITY;
    }
}
