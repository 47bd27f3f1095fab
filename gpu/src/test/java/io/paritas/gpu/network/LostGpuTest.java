/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.OtherJvm;
import io.paritas.inference.Device;
import io.paritas.inference.DeviceLostException;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.graph.TestGraphs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several GPUs, of which one is lost, in a JVM of its own. */
@Tag("machine")
class LostGpuTest {
    @TempDir
    private Path temporary;

    /** Predicts on two GPUs, loses the second one, and goes on. */
    public static final class Program {
        private static final ModelOptions CUDA =
                ModelOptions.DEFAULT.withEngine("gpu").withDevice(Device.CUDA);

        public static void main(String[] arguments) throws IOException {
            ModelFile file = TestGraphs.small(1).toModelFile();
            try (Model first = ModelEngines.load(file, CUDA);
                    Model second = ModelEngines.load(file, CUDA.withGpu(GpuChoice.of(1)))) {
                System.out.println("they agree: " + (sum(first) == sum(second)));
                Files.createFile(Path.of(System.getenv("EMU_LOST_FILE")));
                attempt("when it is lost", () -> sum(second));
                attempt("later", () -> sum(second));
                attempt("loaded again", () -> ModelEngines.load(file, CUDA.withGpu(GpuChoice.of(1))));
                attempt("on the other one", () -> sum(first));
                attempt("a third one", () -> ModelEngines.load(file, CUDA.withGpu(GpuChoice.of(2))));
            }
            System.out.println("closed");
            System.out.println(Gpu.get(0).lost().isPresent() + " " + Gpu.get(1).lost());
        }

        private static double sum(Model model) {
            double sum = 0;
            for (float value : model.predict(new float[3 * model.input().size()])) {
                sum += value;
            }
            return sum;
        }

        private static void attempt(String when, Runnable work) {
            try {
                work.run();
                System.out.println(when + ": works");
            } catch (ModelException e) {
                System.out.println(when + ": " + (e instanceof DeviceLostException) + " " + e.getMessage());
            }
        }
    }

    /** Loads a model for a GPU that somebody has chosen, and for any. It is measured there, to protect it. */
    public static final class Chosen {
        public static void main(String[] arguments) {
            ModelFile file = TestGraphs.small(1).toModelFile();
            ModelOptions guided = Program.CUDA.withProtection(Protection.of(Protection.Mode.GUIDED));
            for (GpuChoice gpu : List.of(GpuChoice.of(0), GpuChoice.ANY)) {
                try (Model model = ModelEngines.load(file, guided.withGpu(gpu))) {
                    System.out.println(gpu + " is " + model.hardware().gpu());
                } catch (ModelException e) {
                    System.out.println(gpu + ": " + e.getMessage());
                }
            }
        }
    }

    /** Uses a model of the first GPU in a thread that is bound to the second one. */
    public static final class Bound {
        public static void main(String[] arguments) {
            Gpu.get(1).bind();
            try (Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), Program.CUDA)) {
                System.out.println("loaded: bound to " + Gpu.current().ordinal());
                Program.sum(model);
                System.out.println("predicted: bound to " + Gpu.current().ordinal());
            }
            System.out.println("closed: bound to " + Gpu.current().ordinal());
        }
    }

    @Test
    void aModelLeavesThreadsBoundToTheirGpu() {
        assertThat(OtherJvm.run(Bound.class, OtherJvm.HERE, temporary, Map.of("EMU_DEVICES", "2")))
                .containsSubsequence("loaded: bound to 1", "predicted: bound to 1", "closed: bound to 1");
    }

    /** The property is for those who did not choose. */
    @Test
    void theFirstGpuCanBeChosenBesideAProperty() {
        List<String> output = OtherJvm.run(
                Chosen.class, OtherJvm.HERE, temporary, Map.of("EMU_DEVICES", "2"), "-Dio.paritas.gpu.device=1");
        assertThat(output)
                .contains("0 is GPU-e0e0e0e0-e0e0-e0e0-e0e0-e0e0e0e0e000")
                .contains("any is GPU-e0e0e0e0-e0e0-e0e0-e0e0-e0e0e0e0e001");
    }

    /** Nor does a wrong one keep anybody from the GPU that was chosen. */
    @Test
    void aGpuCanBeChosenBesideAWrongProperty() {
        List<String> output =
                OtherJvm.run(Chosen.class, OtherJvm.HERE, temporary, Map.of(), "-Dio.paritas.gpu.device=1");
        assertThat(output)
                .contains("0 is GPU-e0e0e0e0-e0e0-e0e0-e0e0-e0e0e0e0e000")
                .contains(
                        "any: gpu cannot run on the device CUDA: no GPU can be used, because io.paritas.gpu.device must"
                                + " be the number of a GPU, 0 to 0 here, got 1: check CUDA_VISIBLE_DEVICES, and that"
                                + " the discovery script of Spark sees the same GPUs");
    }

    /** Also if the error alone does not say so, as that of a GPU that fell off the bus. */
    @ParameterizedTest
    @CsvSource({"719,LAUNCH_FAILED", "999,UNKNOWN"})
    void onlyTheLostOneIsOutOfUse(String error, String name) {
        List<String> output = OtherJvm.run(
                        Program.class,
                        OtherJvm.HERE,
                        temporary,
                        Map.of(
                                "EMU_DEVICES",
                                "2",
                                "EMU_LOST_ERROR",
                                error,
                                "EMU_LOST_FILE",
                                temporary.resolve("lose").toString()))
                .stream()
                .filter(line -> line.matches("(they agree|when|later|loaded|on the|a third|closed|true|false).*"))
                .toList();

        String gpu = "CPU that emulates a GPU, compute capability 9.0";
        String uuid = "GPU-e0e0e0e0-e0e0-e0e0-e0e0-e0e0e0e0e001";
        String end = ": the GPU " + uuid
                + " is lost to this process: start it again, and if that happens once more, take the GPU out of service";
        String reason = "cuStreamSynchronize failed: CUDA_ERROR_" + name;
        String before = gpu + " was lost before (" + reason + "): start the process again to use it";
        assertThat(output).hasSize(8);
        assertThat(output.get(0)).isEqualTo("they agree: true");
        assertThat(output.get(1))
                .startsWith("when it is lost: true gpu cannot predict 3 rows of ")
                .endsWith(" on " + gpu + ": " + reason + end);
        assertThat(output.get(2))
                .startsWith("later: true gpu cannot predict 3 rows of ")
                .endsWith(" on " + gpu + ": " + before + end);
        assertThat(output.get(3))
                .startsWith("loaded again: true gpu cannot load the model of ")
                .endsWith(" on " + gpu + ": " + before + end);
        assertThat(output.subList(4, 8))
                .containsExactly(
                        "on the other one: works",
                        "a third one: false gpu cannot run on the device CUDA 2: the GPU of a model must be the number of"
                                + " a GPU, 0 to 1 here, got 2: check CUDA_VISIBLE_DEVICES, and that the discovery"
                                + " script of Spark sees the same GPUs",
                        "closed",
                        "false Optional[" + reason + "]");
    }
}
