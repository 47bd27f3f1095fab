/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.protect.ProtectionPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProtectCommandsTest {
    @TempDir
    private Path folder;

    private Path model() {
        Path file = folder.resolve("model.onnx");
        Initialisation.PYTORCH
                .apply(Networks.lenet5(List.of(1, 28, 28), 10), 1)
                .toModelFile()
                .write(file);
        return file;
    }

    @Test
    void aPlanIsPrintedAndWritten() throws IOException {
        Path plan = folder.resolve("plan.json");
        Path plot = folder.resolve("plan.png");
        Run run =
                Run.paritas("protect", "plan", model(), "--batch", 2, "--seconds", 0.01, "--out", plan, "--plot", plot);
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("Conv 'conv1'", "1568 x 6 x 25", "All layers: ", "Written to " + plan, "plot: " + plot);
        assertThat(ProtectionPlan.read(plan).layers()).hasSize(5);
        assertThat(ImageIO.read(plot.toFile()).getWidth()).isEqualTo(1200);
    }

    @Test
    void aPlotIsAPng() {
        Run run = Run.paritas("protect", "plan", model(), "--plot", folder.resolve("plan.svg"));
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("--plot must be a .png file, got " + folder.resolve("plan.svg"));
    }

    @Test
    void batchesThatHaveNoRoomAreRefused() {
        Run values = Run.paritas("protect", "plan", model(), "--batch", 50_000_000);
        assertThat(values.status()).isEqualTo(1);
        assertThat(values.err())
                .isEqualTo(
                        "paritas: a batch must have at most 456522 rows, because a layer of the protected model has 4704"
                                + " values a row, got 50000000 rows: choose smaller batches\n");
        Run memory = Run.paritas("protect", "plan", model(), "--batch", 450_000);
        assertThat(memory.status()).isEqualTo(1);
        assertThat(memory.err())
                .startsWith("paritas: what was asked needs more memory than this JVM may use, which is ")
                .contains(" MiB (Java heap space): ask for less at a time, or set PARITAS_OPTS=-Xmx8g, say\n")
                .hasLineCount(1);
    }

    @Test
    void imagesThatThereAreNotAreWrongUsage() {
        Run run = Run.paritas("inject", "--model", model(), "--data", "nonsense", "--out", folder.resolve("faults"));
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("paritas: --data: cannot load 'nonsense': no source has this name; known are ");
    }

    @Test
    void flipsNeedACaseInWhichTheModelIsRight() {
        Path file = folder.resolve("unknown-class.onnx");
        Graph network = Networks.lenet5(List.of(1, 28, 28), 11);
        float[] bias = new float[11];
        bias[10] = 1;
        network.with(List.of(network.weights().get("fc3.bias").with(bias)))
                .toModelFile()
                .write(file);
        Run run = Run.paritas("inject", "--model", file, "--data", "glyphs:count=100,seed=1", "--out", folder);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .matches(
                        "paritas: a model must be right in some cases, which flips may change, got none of \\d+: train it,"
                                + " or choose the --data that it was trained for\n");
    }

    @Test
    void aFileInThePlaceOfTheResultsIsSeenBeforeTheTraining() throws IOException {
        Path file = Files.writeString(folder.resolve("results"), "mine");
        Run run = Run.paritas("inject", "--out", file);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("DIR must be a directory or not exist, got " + file);
        assertThat(file).hasContent("mine");
    }

    @Test
    void aModelWithoutALayerHasNoPlan() {
        GraphBuilder builder = new GraphBuilder(4);
        Path file = folder.resolve("relu.onnx");
        builder.output(builder.relu(builder.input())).toModelFile().write(file);
        Run run = Run.paritas("protect", "plan", file, "--out", folder.resolve("plan.json"));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("paritas: a model must have a convolution or a linear layer to be protected, " + file
                        + " has none: there is nothing to plan\n");
        assertThat(folder.resolve("plan.json")).doesNotExist();
    }

    @Test
    void aModelWithoutALayerHasNothingToFlip() {
        GraphBuilder builder = new GraphBuilder(28 * 28);
        Path file = folder.resolve("relu.onnx");
        builder.output(builder.relu(builder.input())).toModelFile().write(file);
        Run run = Run.paritas("inject", "--model", file, "--data", "glyphs:count=100,seed=1", "--out", folder);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("paritas: a model must have a convolution or a linear layer, in whose values bits are"
                        + " flipped, got one without: choose another --model\n");
    }

    @Test
    void faultsAreCountedAndDrawn() {
        Path study = folder.resolve("faults");
        Run run = Run.paritas(
                "inject", "--model", model(), "--data", "glyphs:count=100,seed=1", "--flips", 2, "--out", study);
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains(
                        "duplication  found 64 of 64 flips above twice its bound, and 0 of 0 in its checksums; 0 flips"
                                + " that change a prediction were not found; 0 false alarms")
                .containsPattern(
                        "global       found (\\d+) of \\1 flips above twice its bound, and ([1-9]\\d*) of \\2 in its"
                                + " checksums; 0 flips that change a prediction were not found; 0 false alarms");
        assertThat(study.resolve("faults.png")).isNotEmptyFile();
        assertThat(study.resolve("faults.csv")).isRegularFile().satisfies(csv -> assertThat(Files.readAllLines(csv))
                .hasSize(33)
                .first()
                .isEqualTo("bit,mispredicted,global,thread,two-sided,weighted,replication,duplication"));
    }
}
