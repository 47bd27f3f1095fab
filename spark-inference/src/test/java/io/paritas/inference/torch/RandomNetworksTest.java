/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RandomGraphs;
import io.paritas.inference.graph.TestGraphs;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks drawn at random, run and written as programs, beside ONNX Runtime. */
class RandomNetworksTest {
    private static final int ROWS = 3;

    static LongStream seeds() {
        return RandomGraphs.seeds(60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void areWhatOnnxRuntimeComputes(long seed) {
        Graph graph = RandomGraphs.of(seed);
        float[] inputs = TestGraphs.values(ROWS * graph.input().size());
        float[] expected = Ort.run(graph, inputs, ROWS);
        try {
            compare(graph.toModelFile(), inputs, expected);
            compare(TorchScripts.write(graph), inputs, expected);
        } catch (ModelException e) {
            assertThat(e).hasMessageContaining(" in LibTorch, ");
        }
    }

    private static void compare(ModelFile file, float[] inputs, float[] expected) {
        float largest = 1;
        for (float value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        try (Model model = new TorchEngine().load(file, ModelOptions.DEFAULT.withDevice(Device.CPU))) {
            assertThat(model.predict(inputs))
                    .as("%s", file.format())
                    .containsExactly(expected, within(5e-5f * largest));
        }
    }
}
