/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleTest {
    private static final String START = "{\"version\":1,\"kind\":\"parity\",\"settings\":{},\"input\":{\"name\":\"x\","
            + "\"shape\":[1]},\"output\":{\"name\":\"y\",\"shape\":[1]},\"deployed\":\"00\",\"models\":";

    @TempDir
    private Path folder;

    @Test
    void nobodyChangesIt() {
        Map<String, String> settings = new HashMap<>(Map.of("k", "2"));
        DeployedModel deployed = new DeployedModel(
                ModelFile.of(new byte[] {8, 8}), new TensorSpec("x", List.of(1)), new TensorSpec("y", List.of(1)));
        Bundle bundle = Bundle.of("parity", settings, deployed, Map.of(), new HashMap<>(), new HashMap<>());
        settings.put("k", "9");

        assertThat(bundle.descriptor().settings()).isEqualTo(Map.of("k", "2"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> bundle.descriptor().settings().put("k", "9"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> bundle.descriptor().accuracy().put("validation", 1.0));
    }

    @Test
    void accuracyAndTrainingNeedNotBeKnown() throws Exception {
        Files.writeString(folder.resolve("parity.json"), START + "{}}");

        Bundle.Descriptor descriptor = Bundle.read(folder, "parity").descriptor();

        assertThat(descriptor.accuracy()).isEmpty();
        assertThat(descriptor.training()).isEmpty();
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
                .isThrownBy(() -> Bundle.read(folder, "parity"))
                .withMessage(file + " is no descriptor of models: kind, settings, input, output, deployed or models are"
                        + " missing or not complete");
    }

    /** Whatever else has changed. */
    @Test
    void ofAnotherVersionItSaysSo() throws Exception {
        Path file = Files.writeString(
                folder.resolve("parity.json"), "{\"version\":2,\"kind\":\"parity\",\"newField\":{\"models\":1}}");

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(folder, "parity"))
                .withMessage("the descriptor must have version 1, " + file + " has version 2: use a newer Paritas");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{\"version\":\"x\"}", "{\"version\":null}"})
    void whatIsNoDescriptorIsRefused(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("parity.json"), text);

        assertThatExceptionOfType(ModelException.class)
                .isThrownBy(() -> Bundle.read(folder, "parity"))
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
                .isThrownBy(() -> Bundle.read(models, "parity"))
                .withMessage("the model 'm' of " + file + " must lie beside it as '" + name
                        + "', no such file is there: copy the whole folder");
    }
}
