/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.OtherJvm;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** GPUs of one name with different numbers of multiprocessors, each in a JVM of its own. */
@Tag("machine")
class UnlikeGpusTest {
    @TempDir
    private Path temporary;

    /** Prints the kind of the GPU, and a hash of the bits of a prediction: a product of 8 tiles and 36 steps. */
    public static final class Program {
        public static void main(String[] arguments) {
            GraphBuilder net = new GraphBuilder(1152);
            Graph graph = Reference.random(net.output(net.linear(net.input(), 512)));
            try (Model model = ModelEngines.load(graph.toModelFile(), ModelOptions.DEFAULT.withDevice(Device.CUDA))) {
                float[] predicted = model.predict(Reference.rows(graph, 1));
                System.out.println("> " + model.hardware().kind());
                System.out.println("> " + Arrays.hashCode(predicted));
            }
        }
    }

    private List<String> run(int multiprocessors, boolean splitK) {
        return OtherJvm.run(
                        Program.class,
                        OtherJvm.HERE,
                        temporary,
                        Map.of("EMU_MULTIPROCESSORS", Integer.toString(multiprocessors)),
                        "-Dio.paritas.gpu.splitK=" + splitK)
                .stream()
                .filter(line -> line.startsWith("> "))
                .map(line -> line.substring(2))
                .toList();
    }

    @Test
    void areOtherKindsIfTheyComputeOtherBits() {
        List<String> few = run(32, true);
        List<String> many = run(96, true);
        assertThat(few.get(0)).isEqualTo("CPU that emulates a GPU with 32 multiprocessors");
        assertThat(many.get(0)).isEqualTo("CPU that emulates a GPU with 96 multiprocessors");
        assertThat(few.get(1)).isNotEqualTo(many.get(1));
    }

    @Test
    void areOneKindIfSumsAreNotDivided() {
        assertThat(run(32, false)).isEqualTo(run(96, false)).startsWith("CPU that emulates a GPU");
    }
}
