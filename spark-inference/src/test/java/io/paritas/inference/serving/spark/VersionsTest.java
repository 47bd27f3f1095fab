/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.serving.Role;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.CodedSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be put in the place of a version, and what is said of the rest; nothing of it needs Spark to run. */
class VersionsTest {
    @TempDir
    private Path folder;

    private SparkConf conf;
    private ServingPlan former;

    @BeforeEach
    void plan() throws IOException {
        conf = new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model("a", 3).toString())
                .set(ServingSettings.NAME.key(), "linear")
                .set(CodedSettings.PARITY.key(), folder.resolve("a").toString());
        former = ServingPlan.of(conf);
    }

    /** A model, and its parity model beside it. */
    private Path model(String name, int features) throws IOException {
        Path parent = Files.createDirectory(folder.resolve(name));
        ExactModel model = ExactModel.of(features, 2, name.hashCode());
        model.parity(2, 1, Map.of()).write(parent);
        return model.write(parent);
    }

    private ServingPlan next(Map<String, String> parameters) {
        return Versions.next(conf, former, parameters);
    }

    @Test
    void theNextVersionHasItsOwnFiles() throws IOException {
        ServingPlan next = next(Map.of("model", model("b", 3).toString()));

        assertThat(next.served().version()).isEqualTo("2");
        assertThat(next.served().name()).isEqualTo("linear");
        assertThat(next.instances()).isEqualTo(former.instances());
        assertThat(next.files()).containsOnlyKeys(Role.DEPLOYED, Role.parity(0));
        assertThat(next.files().get(Role.DEPLOYED)).isNotEqualTo(former.files().get(Role.DEPLOYED));
    }

    @Test
    void theVersionCanBeSaidAndMustBeWhereNoneFollows() throws IOException {
        String model = model("b", 3).toString();
        ServingPlan named = next(Map.of("model", model, "version", "blue"));
        assertThat(named.served().version()).isEqualTo("blue");

        assertThatThrownBy(() -> Versions.next(conf, named, Map.of("model", model)))
                .hasMessage(
                        "a load after the version 'blue' must have the parameter 'version', because it is no number");
        assertThatThrownBy(() -> next(Map.of("model", model, "version", "1")))
                .hasMessage("a new version must differ from the former one, got 1");
    }

    @Test
    void parametersAreChecked() {
        assertThatThrownBy(() -> next(Map.of()))
                .hasMessage("a load must have the parameter 'model', the path of the new model");
        assertThatThrownBy(() -> next(Map.of("path", "/x")))
                .hasMessage("the parameters of a load must be 'model', 'version', 'parity' or 'backup', got 'path'");
        assertThatThrownBy(() -> next(Map.of("model", "b.onnx")))
                .hasMessage("the parameter 'model' must be an absolute path on the driver, got 'b.onnx'");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        String missing = folder.resolve("none.onnx").toString();

        assertThatThrownBy(() -> next(Map.of("model", missing)))
                .hasMessage("there must be a model at '" + missing + "', no such file is there on the driver");
    }

    @Test
    void parityModelsOfAnotherModelAreRefused() throws IOException {
        String model = model("b", 3).toString();
        String parity = folder.resolve("a").toString();

        assertThatThrownBy(() -> next(Map.of("model", model, "parity", parity)))
                .hasMessageStartingWith(
                        "a parity bundle works only with the model that it was made for, with SHA-256 ");
    }

    @Test
    void aModelWithoutParityModelsIsRefused() throws IOException {
        Path alone = Files.createDirectory(folder.resolve("alone"));
        String model = ExactModel.of(3, 2, 5).write(alone).toString();

        assertThatThrownBy(() -> next(Map.of("model", model)))
                .hasMessageStartingWith(
                        "the policy coded must have parity models, there is no parity.json in " + alone);
    }

    @Test
    void clientsSendWhatTheySent() throws IOException {
        String wider = model("wider", 4).toString();

        assertThatThrownBy(() -> next(Map.of("model", wider)))
                .hasMessageStartingWith("a new version must have the input of the former one, ")
                .hasMessageEndingWith(": serve it under another name");
    }
}
