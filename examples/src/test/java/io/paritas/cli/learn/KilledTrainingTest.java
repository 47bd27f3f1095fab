/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Main;
import io.paritas.cli.Run;
import io.paritas.inference.ModelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A training whose process is killed, twice, ends with the same bytes as one that is left alone. */
class KilledTrainingTest {
    private static final int EPOCHS = 60;

    @TempDir
    private Path folder;

    @Test
    void aKilledTrainingGoesOn() throws Exception {
        Path killed = folder.resolve("killed");
        for (int kill = 0; kill < 2; kill++) {
            killAfterACheckpoint(killed);
        }
        assertThat(killed.resolve("base.onnx")).as("nothing half-written").doesNotExist();
        Run rest = Run.paritas(command(killed));
        assertThat(rest.err()).isEmpty();
        assertThat(rest.out()).contains("going on after epoch ");
        Path alone = folder.resolve("alone");
        assertThat(Run.paritas(command(alone)).status()).isZero();
        assertThat(ModelFile.read(killed.resolve("base.onnx")).sha256())
                .isEqualTo(ModelFile.read(alone.resolve("base.onnx")).sha256());
        try (Stream<Path> files = Files.list(killed)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("base.onnx", "base-training.json", "base-curve.csv", "base-curve.png");
        }
    }

    private void killAfterACheckpoint(Path out) throws IOException, InterruptedException {
        Path checkpoint = out.resolve("base.checkpoint");
        Object before = Files.exists(checkpoint) ? Files.getLastModifiedTime(checkpoint) : "none";
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        for (Object word : command(out)) {
            line.add(word.toString());
        }
        Process training = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        try {
            Instant deadline = Instant.now().plus(Duration.ofMinutes(2));
            while (!Files.exists(checkpoint)
                    || Files.getLastModifiedTime(checkpoint).equals(before)) {
                assertThat(training.isAlive())
                        .as("the training ended before it was killed:\n%s", Files.readString(folder.resolve("log")))
                        .isTrue();
                assertThat(Instant.now()).isBefore(deadline);
                Thread.sleep(5);
            }
        } finally {
            training.destroyForcibly().waitFor();
        }
    }

    private static Object[] command(Path out) {
        return new Object[] {"train", "base", "--data", "glyphs:count=2000,side=12", "--epochs", EPOCHS, "--out", out};
    }
}
