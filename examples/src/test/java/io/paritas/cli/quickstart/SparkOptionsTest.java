/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SparkOptionsTest {
    @TempDir
    Path folder;

    @Test
    void takesModelsAndImages() throws IOException {
        Path model = Files.createFile(folder.resolve("base.onnx"));
        Files.createFile(folder.resolve("parity.json"));
        Files.createFile(Files.createDirectory(folder.resolve("more")).resolve("cat.png"));

        SparkOptions options = parse("--model", model, "--parity", folder, "--images", folder, "--conf", "spark.a=b=c");

        options.check();
        assertThat(options.model()).contains(model);
        assertThat(options.parity()).contains(folder);
        assertThat(options.images()).contains(folder);
        assertThat(options.settings()).isEqualTo(Map.of("spark.a", "b=c"));
    }

    @Test
    void countsTheImagesThatSparkReads() throws IOException {
        Path model = Files.createFile(folder.resolve("base.onnx"));
        Path images = Files.createDirectory(folder.resolve(".images"));
        for (String file :
                new String[] {"cat/1.png", "cat/2.png", ".DS_Store", "cat/._1.png", "_SUCCESS", ".git/HEAD"}) {
            Files.createDirectories(images.resolve(file).getParent());
            Files.createFile(images.resolve(file));
        }
        Path empty = Files.createDirectory(folder.resolve("empty"));

        assertThat(SparkOptions.images(images)).isEqualTo(2);
        assertFails(
                "--images must be a folder with images in it or below it, " + empty + " has none: name another one",
                "--model",
                model,
                "--images",
                empty);
    }

    @Test
    void needsNothing() throws IOException {
        SparkOptions options = parse();

        options.check();
        assertThat(options.straggler()).isEqualTo(20);
        assertThat(options.model()).isEmpty();
    }

    @Test
    void refusesImagesWithoutAModel() {
        assertFails(
                "--parity and --images belong to a --model, which is missing. Name it, or leave them out",
                "--images",
                folder);
    }

    @Test
    void refusesWhatIsNotThere() throws IOException {
        Path model = Files.createFile(folder.resolve("base.onnx"));
        Path missing = folder.resolve("missing");

        assertFails("--model must be a readable file, got " + missing + ": name another one", "--model", missing);
        assertFails(
                "--parity must be a folder with parity.json or learned.json, got " + folder
                        + ": make it with paritas train parity or train code",
                "--model",
                model,
                "--parity",
                folder);
        assertFails(
                "--images must be a folder, got " + missing + ": name another" + " one",
                "--model",
                model,
                "--images",
                missing);
    }

    @Test
    void refusesToSleepBackwards() {
        assertFails("--straggler must be at least 0, got -1.0", "--straggler", -1);
    }

    @Test
    void belongsToSpark() {
        Run run = Run.paritas("quickstart", "--straggler", 3);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("Missing required argument(s): --spark");
    }

    private static void assertFails(String message, Object... arguments) {
        assertThatThrownBy(() -> parse(arguments).check())
                .isInstanceOf(CheckFailed.class)
                .hasMessage(message);
    }

    private static SparkOptions parse(Object... arguments) {
        String[] words = new String[1 + arguments.length];
        words[0] = "--spark";
        for (int i = 0; i < arguments.length; i++) {
            words[1 + i] = arguments[i].toString();
        }
        return CommandLine.populateCommand(new SparkOptions(), words);
    }
}
