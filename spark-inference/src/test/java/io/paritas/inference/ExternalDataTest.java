/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.TestGraphs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExternalDataTest {
    private static final Graph GRAPH = TestGraphs.small(1);

    @TempDir
    Path root;

    private Path folder;
    private Path model;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(root.resolve("models"));
        model = folder.resolve("model.onnx");
    }

    @Test
    void weightsBesideAModelAreTakenIn() {
        TestGraphs.writeExternal(GRAPH, model, "model.onnx.data", folder.resolve("model.onnx.data"));
        ModelFile file = ModelFile.read(model);
        assertThat(Graph.of(file).weights()).isEqualTo(GRAPH.weights());
        try (Model inside = ModelEngines.load(GRAPH.toModelFile(), ModelOptions.DEFAULT);
                Model outside = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            float[] input = TestGraphs.values(64);
            assertThat(outside.predict(input)).isEqualTo(inside.predict(input));
        }
    }

    @Test
    void aModelWithItsWeightsInsideStaysAsItIs() throws IOException {
        byte[] bytes = GRAPH.toModelFile().bytes();
        Files.write(model, bytes);
        assertThat(ModelFile.read(model).bytes()).isEqualTo(bytes);
    }

    @Test
    void withoutOffsetAndLengthItIsTheWholeFile() {
        Graph one = TestGraphs.linear(new float[][] {{7}}, new float[1]);
        TestGraphs.writeExternal(one, model, "w", folder.resolve("w"), -1, -1);
        assertThatThrownBy(() -> Graph.read(model))
                .as("both weights are the whole file of two values")
                .isInstanceOf(ModelException.class)
                .hasMessage("the tensor 'fc1.weight' of shape [1, 1] needs 4 bytes, the model holds 8: it is damaged");
    }

    @Test
    void weightsThatAreMissing() throws IOException {
        Path weights = folder.resolve("weights");
        TestGraphs.writeExternal(GRAPH, model, "weights", weights);
        Files.delete(weights);
        refused("the weights 'conv1.weight' of " + model + " are in " + weights
                + ", which is missing: put it beside the" + " model, or export with external_data=False");
    }

    @Test
    void weightsThatAreTooShort() throws IOException {
        Path weights = folder.resolve("weights");
        TestGraphs.writeExternal(GRAPH, model, "weights", weights);
        Files.write(weights, Arrays.copyOf(Files.readAllBytes(weights), 100));
        refused("the weights 'conv1.weight' of " + model + " are 144 bytes from byte 0 of " + weights
                + ", which has only 100: copy the file again");
    }

    @Test
    void placesThatNoFileHas() {
        Path weights = folder.resolve("weights");
        long[][] places = {{Long.MAX_VALUE, 4}, {4, Long.MAX_VALUE}, {0, -2}};
        for (long[] place : places) {
            TestGraphs.writeExternal(GRAPH, model, "weights", weights, place);
            assertThatThrownBy(() -> ModelFile.read(model))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("the weights 'conv1.weight' of " + model + " are " + place[1]
                            + " bytes from byte " + place[0] + " of " + weights + ", which has only ");
        }
    }

    /** Nothing of that size is read: the heap of tests is smaller. */
    @Test
    void weightsAreBelow2GiBTogether() throws IOException {
        Path weights = folder.resolve("weights");
        long half = 1L << 30;
        TestGraphs.writeExternal(GRAPH, model, "weights", weights, 0, half);
        try (RandomAccessFile sparse = new RandomAccessFile(weights.toFile(), "rw")) {
            sparse.setLength(half);
        }
        refused("a model must be below 2 GiB with its weights, " + model + " has "
                + (Files.size(model) + GRAPH.weights().size() * half)
                + " bytes: take a smaller network");
    }

    @Test
    void weightsOutsideTheFolder() {
        Path outside = root.resolve("secret");
        for (String location : new String[] {"../secret", outside.toString(), "a/../../secret", "", "a\0b"}) {
            TestGraphs.writeExternal(GRAPH, model, location, outside);
            refused("weights outside a model must lie in its folder, " + model + " names '" + location + "'");
        }
    }

    @Test
    void weightsBelowTheFolder() throws IOException {
        Files.createDirectory(folder.resolve("data"));
        TestGraphs.writeExternal(GRAPH, model, "data/weights", folder.resolve("data/weights"));
        assertThat(Graph.read(model).weights()).isEqualTo(GRAPH.weights());
    }

    /** An engine would look for them in the folder where this JVM was started. */
    @Test
    void aModelGivenAsBytesHasItsWeightsInside() throws IOException {
        TestGraphs.writeExternal(GRAPH, model, "weights", folder.resolve("weights"));
        byte[] bytes = Files.readAllBytes(model);
        assertThatThrownBy(() -> ModelFile.of(bytes))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "a model given as bytes must have its weights inside, 'conv1.weight' is in another file: read"
                                + " it with ModelFile.read(path), which takes the weights beside it, or export with"
                                + " external_data=False");
        assertThat(ModelFile.of(ModelFile.read(model).bytes()).sha256())
                .isEqualTo(ModelFile.read(model).sha256());
    }

    @Test
    void weightsOfAttributesSubgraphsAndFunctionsAreWeights() throws IOException {
        Files.write(folder.resolve("weights"), new byte[] {1, 2, 3, 4});
        List<byte[]> complete = TestGraphs.withTensorAnywhere(new byte[] {1, 2, 3, 4});
        List<byte[]> parted = TestGraphs.withTensorAnywhere("weights");
        for (int i = 0; i < complete.size(); i++) {
            byte[] bytes = parted.get(i);
            Files.write(model, bytes);
            assertThat(ModelFile.read(model).bytes()).isEqualTo(complete.get(i));
            assertThatThrownBy(() -> ModelFile.of(bytes))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith(
                            "a model given as bytes must have its weights inside, 'w' is in another file: ");
        }
    }

    private void refused(String message) {
        assertThatThrownBy(() -> ModelFile.read(model))
                .isInstanceOf(ModelException.class)
                .hasMessage(message);
    }
}
