/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Ort;
import io.paritas.inference.graph.RandomGraphs;
import io.paritas.inference.graph.TestGraphs;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks drawn at random have the shapes that ONNX Runtime says, and are protected or refused. */
class RandomNetworksTest {
    private static final int[] ROWS = {1, 2, 3, 5, 65};

    static LongStream seeds() {
        return RandomGraphs.seeds(100);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void areWhatOnnxRuntimeComputes(long seed) {
        Graph graph = RandomGraphs.of(seed);
        int rows = ROWS[(int) (seed % ROWS.length)];
        float[] inputs = TestGraphs.values(rows * graph.input().size());
        Ort.checkShapes(graph, rows);
        float[] expected = Ort.run(graph, inputs, rows);
        float largest = 1;
        for (float value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (Mode mode : List.of(Mode.OFF, Mode.GLOBAL, Mode.THREAD, Mode.WEIGHTED)) {
            try (Model model = new ProtectedEngine()
                            .load(graph.toModelFile(), ModelOptions.DEFAULT.withProtection(Protection.of(mode)));
                    LayerFindings found = LayerFindings.open()) {
                assertThat(model.predict(inputs)).as("%s", mode).containsExactly(expected, within(2e-5f * largest));
                assertThat(found.counts().detections()).isZero();
                assertThat(found.counts().unchecked()).isZero();
            } catch (ModelException e) {
                assertThat(e).hasMessageEndingWith("run it unprotected, with another engine");
            }
        }
    }
}
