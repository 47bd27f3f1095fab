/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.RawGraph;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Small classification tasks for tests of training, and a small network for them. */
public final class Samples {
    /** Pixels of a side. */
    public static final int SIDE = 12;

    private Samples() {}

    /** Drawn digits. */
    public static ImageSet digits(int count, long seed) {
        return new Glyphs(count, seed, SIDE, 1, 10).draw();
    }

    public static int[] labels(ImageSet images) {
        return IntStream.range(0, images.size()).map(images::label).toArray();
    }

    /** Two layers, with values that are not trained yet. */
    public static Graph network() {
        GraphBuilder graph = new GraphBuilder(1, SIDE, SIDE);
        return graph.output(graph.linear(graph.hidden(graph.flatten(graph.input()), 32), 10));
    }

    /** A network that answers probabilities, not scores. */
    public static Graph probabilities() {
        return RawGraph.of(1, SIDE, SIDE)
                .weight("w", SIDE * SIDE, 10)
                .node("Flatten", "row", "input")
                .node("MatMul", "scores", "row", "w")
                .node("Softmax", "output", "scores")
                .build();
    }

    /** Drawn digits and the answers of a model: zeros, and infinity for one of them. */
    public static Examples infinite(int count, int row) {
        Inputs inputs = new ImageInputs(digits(count, 1), Normalization.NONE);
        TensorSpec input = new TensorSpec("input", inputs.shape());
        TensorSpec output = new TensorSpec("output", List.of(10));
        try (Model model = new CheckedModel("test", input, output, Device.CPU) {
            @Override
            protected void compute(int rows, FloatBuffer in, FloatBuffer out) {
                out.put(row * output.size(), Float.POSITIVE_INFINITY);
            }

            @Override
            protected void free() {}
        }) {
            return new Examples(inputs, Predictions.of(model, inputs), Optional.of(new int[count]));
        }
    }

    /** Images with labels and a model's answers. */
    public static Examples examples(ModelFile model, ImageSet images) {
        Inputs inputs = new ImageInputs(images, Normalization.NONE);
        try (Model loaded = ModelEngines.load(model, ModelOptions.DEFAULT)) {
            return new Examples(inputs, Predictions.of(loaded, inputs), Optional.of(labels(images)));
        }
    }
}
