/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
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
