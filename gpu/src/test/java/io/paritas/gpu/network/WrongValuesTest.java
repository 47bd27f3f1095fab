/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.OtherJvm;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.CorruptionException;
import io.paritas.inference.protect.LayerFindings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A GPU that computes something wrong, in a JVM of its own: the emulator flips a bit in the launches that a file names. */
@Tag("machine")
class WrongValuesTest {
    private static final String GPU = "the GPU CPU that emulates a GPU (GPU-e0e0e0e0-e0e0-e0e0-e0e0-e0e0e0e0e000)";

    @TempDir
    private Path temporary;

    /** Predicts with wrong values in several kernels. */
    public static final class Program {
        private static final Path WRONG = Path.of(System.getenv("EMU_WRONG_FILE"));

        public static void main(String[] arguments) throws IOException {
            ModelFile file =
                    Reference.random(Networks.lenet5(List.of(1, 28, 28), 10)).toModelFile();
            for (Mode mode : List.of(Mode.OFF, Mode.GLOBAL, Mode.THREAD)) {
                ModelOptions options =
                        ModelOptions.DEFAULT.withDevice(Device.CUDA).withProtection(Protection.of(mode));
                try (Model model = ModelEngines.load(file, options)) {
                    float[] right = predict(model);
                    for (String wrong : List.of("convolution", "gemm", "pool", "widen", "always gemm")) {
                        attempt(mode + " " + wrong, model, right, wrong);
                    }
                }
            }
        }

        private static float[] predict(Model model) {
            float[] rows = new float[3 * model.input().size()];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = i * 37 % 101 / 50f - 1;
            }
            return model.predict(rows);
        }

        /** Twice: what is wrong once is right the next time. */
        private static void attempt(String what, Model model, float[] right, String wrong) throws IOException {
            Files.writeString(WRONG, wrong);
            try (LayerFindings found = LayerFindings.open()) {
                String result;
                try {
                    result = Arrays.equals(predict(model), right) ? "right" : "wrong";
                } catch (CorruptionException e) {
                    result = e.getMessage();
                }
                String told = told(found);
                boolean took = Files.notExists(WRONG);
                Files.deleteIfExists(WRONG);
                System.out.println("> " + what + ": " + result + "; " + told + ", once: " + took + ", later "
                        + (Arrays.equals(predict(model), right) ? "right" : "wrong"));
            }
        }
    }

    /** Loads a model whose layers are measured to protect it. */
    public static final class Measuring {
        public static void main(String[] arguments) throws IOException {
            ModelFile file = TestGraphs.small(1).toModelFile();
            ModelOptions guided =
                    ModelOptions.DEFAULT.withDevice(Device.CUDA).withProtection(Protection.of(Mode.GUIDED));
            for (String wrong : List.of("gemm_half_square_global", "always gemm_half_square_global")) {
                Files.writeString(Program.WRONG, wrong);
                try (LayerFindings found = LayerFindings.open()) {
                    String result = "loaded";
                    try (Model model = ModelEngines.load(file, guided)) {
                        model.predict(new float[model.input().size()]);
                    } catch (CorruptionException e) {
                        result = e.getMessage();
                    }
                    System.out.println("> " + result + "; " + told(found));
                }
            }
        }
    }

    private static String told(LayerFindings found) {
        return found.layers() + " " + found.counts().detections() + " found, "
                + found.counts().recomputations() + " put right";
    }

    @Test
    void aLayerIsMeasuredOnceMore() {
        List<String> output = run(Measuring.class, "half");
        assertThat(output).hasSize(2);
        assertThat(output.get(0)).matches("loaded; \\[Gemm '.+'\\] 1 found, 1 put right");
        assertThat(output.get(1))
                .matches("wrong values were found in (Gemm '.+') of a batch of 64 rows, and again when .* otherwise "
                        + Pattern.quote(GPU) + " is: .*; \\[\\1\\] 1 found, 0 put right");
    }

    private List<String> run(Class<?> program, String precision) {
        return OtherJvm.run(
                        program,
                        OtherJvm.HERE,
                        temporary,
                        Map.of("EMU_WRONG_FILE", temporary.resolve("wrong").toString()),
                        "-Dio.paritas.gpu.network.precision=" + precision)
                .stream()
                .filter(line -> line.startsWith("> "))
                .map(line -> line.substring(2))
                .toList();
    }

    @Test
    void isFoundAndPutRightOrNotAnswered() {
        List<String> output = run(Program.class, "half");
        String end = ", later right";
        assertThat(output.subList(1, 5))
                .as("without protection; what a convolution has wrong may be cut off behind it")
                .allSatisfy(line -> assertThat(line)
                        .contains(": wrong; [] 0 found, 0 put right")
                        .endsWith(end));
        String[] layers = {"Conv 'conv1'", "Gemm 'fc1'", "MaxPool 'pool1'", "Conv 'conv1'"};
        for (int mode = 1; mode <= 2; mode++) {
            for (int i = 0; i < layers.length; i++) {
                assertThat(output.get(5 * mode + i))
                        .contains(": right; [" + layers[i] + "] 1 found, 1 put right, once: true")
                        .endsWith(end);
            }
            assertThat(output.get(5 * mode + 4))
                    .contains(": wrong values were found in Gemm 'fc1' of a batch of 3 rows, and again when it was"
                            + " computed once more: the batch is not answered; if values overflow float32, the model is"
                            + " at fault, otherwise " + GPU + " is: take it out of service and test it; [Gemm 'fc1'] 1"
                            + " found, 0 put right, once: false")
                    .endsWith(end);
        }
    }
}
