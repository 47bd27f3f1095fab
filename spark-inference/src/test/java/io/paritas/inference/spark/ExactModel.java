/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.TestGraphs;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A model whose predictions are known without it, and whose lost predictions can be reconstructed exactly: linear, with
 * small whole weights and no bias, so that it is the parity model for itself. For inputs that are whole numbers all
 * values are exact as long as none reaches 2^24, whatever the order of additions. Immutable.
 */
public final class ExactModel {
    /** What a wrong parity model answers too much. */
    public static final float OFFSET = 1_000;

    private static final int LARGEST = 3;

    private final float[][] matrix;

    private ExactModel(float[][] matrix) {
        this.matrix = matrix;
    }

    /** A model from the shape (features) to the shape (outputs), with weights from -3 to 3. */
    public static ExactModel of(int features, int outputs, long seed) {
        Random random = new Random(seed);
        float[][] matrix = new float[outputs][features];
        for (float[] row : matrix) {
            for (int i = 0; i < features; i++) {
                row[i] = random.nextInt(2 * LARGEST + 1) - LARGEST;
            }
        }
        return new ExactModel(matrix);
    }

    /** What the model predicts for the features of one row. */
    public float[] predict(float[] row) {
        float[] result = new float[matrix.length];
        for (int output = 0; output < result.length; output++) {
            for (int i = 0; i < row.length; i++) {
                result[output] += matrix[output][i] * row[i];
            }
        }
        return result;
    }

    public ModelFile file() {
        return graph(0).toModelFile();
    }

    /**
     * The same model, which wants more memory than there are addresses for a batch with a value above a limit. Only ONNX
     * Runtime runs it.
     */
    public ModelFile greedy(float limit) {
        return TestGraphs.greedy(graph(0), limit);
    }

    /** The same model for images of one line of pixels, (1, 1, features). */
    public ModelFile forImages() {
        return images().toModelFile();
    }

    private Graph images() {
        GraphBuilder builder = new GraphBuilder(1, 1, matrix[0].length);
        Graph graph = builder.output(builder.linear(builder.flatten(builder.input()), matrix.length));
        return weighted(graph, matrix, 0);
    }

    /** A learned code of {@link #forImages}. */
    public Bundle learned(int k, float offset) {
        Graph deployed = images();
        return learned(new DeployedModel(deployed.toModelFile(), deployed.input(), deployed.output()), k, offset);
    }

    /**
     * A learned code, r = 1, of a model as these are, that nobody trained: its encoder adds images, its decoder subtracts predictions,
     * and adds the offset to what it reconstructs, so that this is seen.
     */
    public static Bundle learned(DeployedModel deployed, int k, float offset) {
        int features = deployed.input().size();
        int outputs = deployed.output().size();
        float[][] sum = new float[features][k * features];
        float[][] differences = new float[k * outputs][(k + 1) * outputs];
        for (int place = 0; place <= k; place++) {
            for (int i = 0; i < features && place < k; i++) {
                sum[i][place * features + i] = 1;
            }
            for (int row = 0; row < differences.length; row++) {
                differences[row][place * outputs + row % outputs] = place == k ? 1 : place == row / outputs ? 0 : -1;
            }
        }
        Map<String, String> settings = Map.of(
                "k", String.valueOf(k), "r", "1", "encoder", "mlp", "loss", "mse_base", "legacyChannelMix", "false");
        Map<String, ModelFile> networks = Map.of(
                "encoder", layer(sum, 0).toModelFile(),
                "decoder", layer(differences, offset).toModelFile());
        return Bundle.of(BundleKind.LEARNED, deployed, networks).withSettings(settings);
    }

    /** Writes {@code model.onnx}; returns its path. */
    public Path write(Path folder) {
        Path path = folder.resolve("model.onnx");
        file().write(path);
        return path;
    }

    /**
     * The r parity models, each this model itself: reconstructions are exact.
     *
     * @param accuracy as in a descriptor, for example {@code degraded.1-lost}
     */
    public Bundle parity(int k, int r, Map<String, Double> accuracy) {
        return bundle(k, r, accuracy, file(), file());
    }

    /** The same for another file of this model. */
    public Bundle parityOf(ModelFile deployed, int k, int r) {
        return bundle(k, r, Map.of(), deployed, file());
    }

    /**
     * The r parity models, each answering {@link #OFFSET} too much, so that what is reconstructed is seen: in a full group,
     * a prediction that was lost alone is off by just that, reconstructed from parity 0.
     */
    public Bundle wrongParity(int k, int r, Map<String, Double> accuracy) {
        return bundle(k, r, accuracy, file(), graph(OFFSET).toModelFile());
    }

    private Bundle bundle(int k, int r, Map<String, Double> accuracy, ModelFile protectedModel, ModelFile parity) {
        Map<String, ModelFile> models = new LinkedHashMap<>();
        for (int i = 0; i < r; i++) {
            models.put("parity-" + i, parity);
        }
        Map<String, String> settings = Map.of(
                "k", String.valueOf(k),
                "r", String.valueOf(r),
                "encoder", "addition",
                "decoder", "subtraction",
                "target", "outputs");
        Graph graph = graph(0);
        DeployedModel deployed = new DeployedModel(protectedModel, graph.input(), graph.output());
        return Bundle.of(BundleKind.PARITY, deployed, models)
                .withSettings(settings)
                .withAccuracy(accuracy);
    }

    private Graph graph(float bias) {
        return layer(matrix, bias);
    }

    private static Graph layer(float[][] matrix, float bias) {
        GraphBuilder builder = new GraphBuilder(matrix[0].length);
        return weighted(builder.output(builder.linear(builder.input(), matrix.length)), matrix, bias);
    }

    private static Graph weighted(Graph graph, float[][] matrix, float bias) {
        float[] values = new float[matrix.length * matrix[0].length];
        float[] biases = new float[matrix.length];
        Arrays.fill(biases, bias);
        for (int i = 0; i < values.length; i++) {
            values[i] = matrix[i / matrix[0].length][i % matrix[0].length];
        }
        return graph.with(List.of(
                graph.weights().get("fc1.weight").with(values),
                graph.weights().get("fc1.bias").with(biases)));
    }
}
