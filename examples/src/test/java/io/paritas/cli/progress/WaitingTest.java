/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.inference.graph.Networks;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that work for a while say so. */
class WaitingTest {
    private static final Duration SOON = Duration.ofMillis(10);

    @TempDir
    private Path home;

    private Path model() {
        Path file = home.resolve("m.onnx");
        Networks.mlp(List.of(1, 28, 28), 10).toModelFile().write(file);
        return file;
    }

    @Test
    void tellsTheStepAndItsShare() throws Exception {
        StringWriter text = new StringWriter();
        try (Waiting waiting = new Waiting(new PrintWriter(text), SOON, SOON)) {
            waiting.begin("loading");
            await(text, " s, loading\n");
            waiting.begin("flipping", 4);
            waiting.advance();
            await(text, " s, flipping, 25 % done\n");
        }
        String all = text.toString();
        Thread.sleep(5 * SOON.toMillis());
        assertThat(text).as("nothing after the end").hasToString(all);
    }

    private static void await(StringWriter text, String line) throws InterruptedException {
        while (!text.toString().contains(line)) {
            Thread.sleep(1);
        }
    }

    @Test
    void whatTakesNoTimeIsSilent() {
        StringWriter text = new StringWriter();
        try (Waiting waiting = new Waiting(new PrintWriter(text), Duration.ofMinutes(1), SOON)) {
            waiting.begin("loading");
        }
        assertThat(text.toString()).isEmpty();
    }

    @Test
    void aMeasurementTellsItsTimeFirst() {
        Run run = Run.paritas("inspect", model(), "--batch", 16, "--measure", 1);
        assertThat(run.status()).isZero();
        assertThat(run.err()).isEqualTo("measuring takes about 4 s, 1 s for each of the folds 1 to 4\n");
        assertThat(run.progress()).contains(" s, measuring\n");
    }

    @Test
    void anEvaluationTellsWhatItDoes() {
        Run run = Run.paritas("eval", "--model", model(), "--data", "glyphs:count=3000");
        assertThat(run.status()).isZero();
        assertThat(run.progress()).contains(" s, loading the images glyphs:count=3000\n");
    }

    @Test
    void aTrainingTellsWhatItDoes() {
        Run run = Run.paritas(
                "train",
                "folded",
                "--model",
                model(),
                "--data",
                "glyphs:count=2000",
                "--epochs",
                1,
                "--out",
                home.resolve("folded"));
        assertThat(run.err()).isEmpty();
        assertThat(run.progress())
                .contains(" s, loading the images glyphs:count=2000\n", " s, predicting the images\n");
    }

    @Test
    void aStudyOfFlipsTellsWhatItDoes() {
        Run run = Run.paritas(
                "inject",
                "--model",
                model(),
                "--data",
                "glyphs:count=1000",
                "--flips",
                150,
                "--out",
                home.resolve("faults"));
        assertThat(run.status()).isZero();
        assertThat(run.progress()).containsPattern(" s, flipping bits, \\d+ % done\n");
    }
}
