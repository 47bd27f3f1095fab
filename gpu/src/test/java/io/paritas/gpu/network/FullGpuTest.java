/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.OtherJvm;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.TestGraphs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A GPU of which other processes have left no room for a context, in a JVM of its own. */
@Tag("machine")
class FullGpuTest {
    @TempDir
    private Path temporary;

    /** Loads a model for the GPU, and for whatever works. */
    public static final class Program {
        public static void main(String[] arguments) {
            ModelFile file = TestGraphs.small(1).toModelFile();
            for (Device device : List.of(Device.CUDA, Device.AUTO)) {
                try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT.withDevice(device))) {
                    System.out.println(device + " is the " + model.device());
                } catch (ModelException e) {
                    System.out.println(device + ": " + e.getMessage());
                }
            }
        }
    }

    @Test
    void theCpuTakesOver() {
        List<String> output = OtherJvm.run(Program.class, OtherJvm.HERE, temporary, Map.of("EMU_CONTEXT_FULL", "1"));
        assertThat(output).contains("AUTO is the CPU");
        assertThat(output)
                .filteredOn(line -> line.startsWith("CUDA: "))
                .singleElement()
                .asString()
                .startsWith("CUDA: gpu cannot load the model of ")
                .endsWith(" on CPU that emulates a GPU, compute capability 9.0: cuDevicePrimaryCtxRetain failed:"
                        + " CUDA_ERROR_OUT_OF_MEMORY: predict fewer rows at once (on Spark, with the option batchRows),"
                        + " lower io.paritas.gpu.network.arena or lanes, or let fewer processes share the GPU");
    }
}
