/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.ParitasProcess;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code --device gpu}, in JVMs of their own: without a GPU, and with the emulator of the module gpu, whose times are the CPU's. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class GpuPlanTest {
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
    void withoutAGpuThePlanSaysWhatIsMissing() throws IOException, InterruptedException {
        Path plan = folder.resolve("plan.json");
        ParitasProcess result = ParitasProcess.withoutGpu("protect", "plan", model(), "--device", "gpu", "--out", plan);
        assertThat(result.output())
                .contains("paritas: a plan for the GPU must be measured on one, but this machine has no NVIDIA driver"
                        + " (libcuda.so.1); install one, version 525 or newer."
                        + " Or plan for this machine's CPU, with --device cpu")
                .doesNotContain("\tat ");
        assertThat(result.status()).isNotZero();
        assertThat(plan).doesNotExist();
    }

    @Test
    void aBatchThatNoLayerCanCountIsRefused() throws IOException, InterruptedException {
        ParitasProcess result =
                ParitasProcess.onEmulator("protect", "plan", model(), "--device", "gpu", "--batch", 10_000_000);
        assertThat(result.output())
                .contains("paritas: the GPU cannot measure batches of 10000000: a layer has more values than can be"
                        + " counted: measure smaller ones, with --batch")
                .doesNotContain("\tat ");
        assertThat(result.status()).isNotZero();
    }

    @Test
    void everyLayerIsMeasuredAndThePlanIsReadAgain() throws IOException, InterruptedException {
        Path model = model();
        Path file = folder.resolve("plan.json");
        ParitasProcess result = ParitasProcess.onEmulator(
                "protect", "plan", model, "--device", "gpu", "--batch", 1, "--seconds", 0.01, "--out", file);
        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("Conv 'conv1'", "784 x 6 x 25", "Written to " + file);

        ProtectionPlan plan = ProtectionPlan.read(file);
        assertThat(plan.device().name()).contains("emulates").endsWith(", float16");
        assertThat(plan.device().operations()).isPositive();
        assertThat(plan.device().bytes()).isPositive();
        assertThat(plan.layers())
                .extracting(Layer::name)
                .containsExactly("Conv 'conv1'", "Conv 'conv2'", "Gemm 'fc1'", "Gemm 'fc2'", "Gemm 'fc3'");
        assertThat(plan.layers()).allSatisfy(layer -> {
            assertThat(layer.seconds()).containsOnlyKeys("none", "global", "thread", "two-sided");
            assertThat(layer.seconds().values())
                    .allSatisfy(time -> assertThat(time).isPositive());
            assertThat(layer.scheme()).isIn("global", "thread", "two-sided");
            assertThat(layer.bytes())
                    .isEqualTo(2 * (layer.m() * layer.k() + layer.k() * layer.n() + layer.m() * layer.n()));
        });
        /* Layers and model fit: the CPU, too, can follow it, and its log says that another may be faster. */
        Protection guided = new Protection(Mode.GUIDED, plan.json());
        ModelEngines.load(ModelFile.read(model), ModelOptions.DEFAULT.withProtection(guided))
                .close();
    }
}
