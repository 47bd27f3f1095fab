/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleTest {
    private static final String START = "{\"version\":1,\"kind\":\"parity\",\"settings\":{},\"input\":{\"name\":\"x\","
            + "\"shape\":[1]},\"output\":{\"name\":\"y\",\"shape\":[1]},\"deployed\":\"00\",\"models\":";

    private static final String GOLDEN = """
            {
              "version" : 1,
              "kind" : "parity",
              "settings" : {
                "k" : "2",
                "encoder" : "addition"
              },
              "input" : {
                "name" : "x",
                "shape" : [ 1, 28, 28 ]
              },
              "output" : {
                "name" : "y",
                "shape" : [ 10 ]
              },
              "deployed" : "0b57459772db2f3f6986a135824545af8690c536a865454c3c664767dc2b73f0",
              "models" : {
                "parity-0" : {
                  "file" : "parity-0.onnx",
                  "sha256" : "0b57459772db2f3f6986a135824545af8690c536a865454c3c664767dc2b73f0"
                }
              },
              "accuracy" : {
                "degraded.1-lost" : 0.875
              },
              "training" : {
                "data" : "digits",
                "start" : "MODEL"
              }
            }""";

    @TempDir
    private Path folder;

    @Test
    void nobodyChangesIt() {
        Map<String, String> settings = new HashMap<>(Map.of("k", "2"));
        DeployedModel deployed = new DeployedModel(
                ModelFile.of(new byte[] {8, 8}), new TensorSpec("x", List.of(1)), new TensorSpec("y", List.of(1)));
        Bundle bundle = Bundle.of(BundleKind.PARITY, deployed, Map.of()).withSettings(settings);
        settings.put("k", "9");

        assertThat(bundle.settings()).isEqualTo(Map.of("k", "2"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> bundle.settings().put("k", "9"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> bundle.accuracy().put("validation", 1.0));
    }

    @Test
    void isWrittenAndReadAsBefore() throws Exception {
        ModelFile model = ModelFile.of(new byte[] {8, 8});
        DeployedModel deployed =
                new DeployedModel(model, new TensorSpec("x", List.of(1, 28, 28)), new TensorSpec("y", List.of(10)));
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("k", "2");
        settings.put("encoder", "addition");
        Map<String, String> training = new LinkedHashMap<>();
        training.put("data", "digits");
        training.put("start", "MODEL");

        Bundle bundle = Bundle.of(BundleKind.PARITY, deployed, Map.of("parity-0", model))
                .withSettings(settings)
                .withAccuracy(Map.of("degraded.1-lost", 0.875))
                .withTraining(training);
        Path file = bundle.write(folder);

        assertThat(file).isEqualTo(folder.resolve("parity.json")).content().isEqualTo(GOLDEN);
        assertThat(Bundle.read(file)).usingRecursiveComparison().isEqualTo(bundle);
    }

    @Test
    void accuracyAndTrainingNeedNotBeKnown() throws Exception {
        Files.writeString(folder.resolve("parity.json"), START + "{}}");

        Bundle bundle = Bundle.read(folder, BundleKind.PARITY);

        assertThat(bundle.accuracy()).isEmpty();
        assertThat(bundle.training()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                START + "null}",
                START + "{\"parity-0\":null}}",
                START + "{\"parity-0\":{\"file\":null,\"sha256\":\"00\"}}}",
                START + "{\"parity-0\":{\"file\":\"parity-0.onnx\",\"sha256\":null}}}"
            })
    void aDescriptorMustBeComplete(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("parity.json"), text);

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(folder, BundleKind.PARITY))
                .withMessage(file + " is no descriptor of models: kind, settings, input, output, deployed or models are"
                        + " missing or not complete");
    }

    /** Whatever else has changed. */
    @Test
    void ofAnotherVersionItSaysSo() throws Exception {
        Path file = Files.writeString(
                folder.resolve("parity.json"), "{\"version\":2,\"kind\":\"parity\",\"newField\":{\"models\":1}}");

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(folder, BundleKind.PARITY))
                .withMessage("the descriptor must have version 1, " + file + " has version 2: use a newer Paritas");
    }

    @Test
    void ofAnUnknownKindItSaysSo() throws Exception {
        Path file = Files.writeString(folder.resolve("parity.json"), START.replace("\"parity\"", "\"linear\"") + "{}}");

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(file))
                .withMessage("the descriptor must be of a kind of [parity, learned, folded, cascade], " + file
                        + " is of the kind linear: use a newer Paritas, or make the models again");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{\"version\":\"x\"}", "{\"version\":null}"})
    void whatIsNoDescriptorIsRefused(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("parity.json"), text);

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(folder, BundleKind.PARITY))
                .withMessageStartingWith(
                        file + " is no descriptor of models, a JSON file that bin/paritas train writes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../other/secret.onnx", "/etc/passwd", "..", "missing.onnx"})
    void modelsLieBesideIt(String name) throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("other")).resolve("secret.onnx"), "secret");
        Path models = Files.createDirectory(folder.resolve("models"));
        Path file = Files.writeString(
                models.resolve("parity.json"), START + "{\"m\":{\"file\":\"" + name + "\",\"sha256\":\"00\"}}}");

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(models, BundleKind.PARITY))
                .withMessage("the model 'm' of " + file + " must lie beside it as '" + name
                        + "', no such file is there: copy the whole folder");
    }
}
