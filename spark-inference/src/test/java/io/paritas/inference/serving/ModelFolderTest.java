/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.spark.ExactModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a folder of models consists of. */
class ModelFolderTest {
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @TempDir
    private Path folder;

    private Path model(String path) throws IOException {
        return MODEL.write(Files.createDirectories(folder.resolve(path)));
    }

    @Test
    void eachFolderIsAModelAndTheLastNumberIsItsVersion() throws IOException {
        Path plain = model("plain");
        MODEL.parity(2, 1, Map.of()).write(plain.getParent());
        model("triton/2");
        Path last = model("triton/10");
        model("triton/old");
        model(".git");
        Files.createDirectories(folder.resolve("lost+found"));

        var entries = new ModelFolder(folder).entries();

        assertThat(entries).extracting(ModelFolder.Entry::name).containsExactly("plain", "triton");
        assertThat(entries.get(0).version()).isEmpty();
        assertThat(entries.get(0).parity()).contains(plain.getParent());
        assertThat(entries.get(0).policy(PolicyName.CODED)).isEqualTo(PolicyName.CODED);
        assertThat(entries.get(1).version()).contains("10");
        assertThat(entries.get(1).model()).isEqualTo(last);
        assertThat(entries.get(1).policy(PolicyName.CODED)).isEqualTo(PolicyName.NONE);
        assertThat(entries.get(1).policy(PolicyName.HEDGED)).isEqualTo(PolicyName.HEDGED);
        assertThat(new ModelFolder(folder).entry("none")).isEqualTo(Optional.empty());
    }

    @Test
    void modelsHaveSettingsOfTheirOwn() throws IOException {
        model("a");
        Files.writeString(folder.resolve("a/serving.properties"), "instances = 4\npolicy=hedged\n");

        ModelFolder.Entry entry = new ModelFolder(folder).entry("a").orElseThrow();

        assertThat(entry.settings()).isEqualTo(Map.of("instances", "4", "policy", "hedged"));
        assertThat(entry.policy(PolicyName.CODED)).isEqualTo(PolicyName.HEDGED);

        Files.writeString(folder.resolve("a/serving.properties"), "tokenFile=/x\n");
        assertThatThrownBy(() -> new ModelFolder(folder).entries())
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the settings in " + folder.resolve("a/serving.properties") + " must be of [")
                .hasMessageEndingWith(", got 'tokenFile'");
    }

    @Test
    void pathsAreBesideTheSettings() throws IOException {
        model("a");
        Files.writeString(
                folder.resolve("a/serving.properties"), "policy=Backup\nbackup=cheap.onnx\nwarmUp=/rows.json\n");

        ModelFolder.Entry entry = new ModelFolder(folder).entry("a").orElseThrow();

        assertThat(entry.settings())
                .containsEntry("backup", folder.resolve("a/cheap.onnx").toString())
                .containsEntry("warmUp", "/rows.json");
        assertThat(entry.policy(PolicyName.CODED)).isEqualTo(PolicyName.BACKUP);
    }

    @Test
    void whatIsMissingIsSaid() throws IOException {
        assertThatThrownBy(() -> new ModelFolder(folder).entries())
                .hasMessage("a folder of models must have a folder for each model, " + folder
                        + " has none: put NAME/model.onnx into it");
        Files.createDirectories(folder.resolve("empty/1"));
        assertThatThrownBy(() -> new ModelFolder(folder).entries())
                .hasMessageStartingWith("the folder of a model must have one of [base.onnx, model.onnx,")
                .hasMessageContaining(folder.resolve("empty/1") + " has none");
        assertThatThrownBy(() -> new ModelFolder(folder.resolve("nothing")).entries())
                .hasMessageStartingWith("the folder of models " + folder.resolve("nothing") + " cannot be read: ");
    }

    @Test
    void whatIsWrongIsSaidOfEachModel() throws IOException {
        model("good");
        Files.createDirectories(folder.resolve("empty"));
        model("strange");
        Files.writeString(folder.resolve("strange/serving.properties"), "tokenFile=/x\n");
        model("undecided");
        Files.writeString(folder.resolve("undecided/serving.properties"), "policy=both\n");

        var troubles = new ModelFolder(folder).troubles();

        assertThat(troubles).containsOnlyKeys("empty", "good", "strange", "undecided");
        assertThat(troubles.get("good")).isEmpty();
        assertThat(troubles.get("empty")).contains(folder.resolve("empty") + " has none");
        assertThat(troubles.get("strange")).endsWith(", got 'tokenFile'");
        assertThat(troubles.get("undecided")).startsWith("the policy must be one of ");
    }
}
