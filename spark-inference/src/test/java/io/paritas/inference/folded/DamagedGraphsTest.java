/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.DamagedGraphs;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkSummary;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whatever is wrong with a graph, it is refused with a reason, or read, summed up and folded. */
class DamagedGraphsTest {
    private static final int MODELS = 3_000;

    @Test
    void areRefusedWithAReason() {
        Map<String, String> found = new TreeMap<>();
        for (long seed = 0; seed < MODELS; seed++) {
            try {
                use(DamagedGraphs.of(seed));
            } catch (ModelException e) {
                assertThat(e.getMessage()).as("seed %d", seed).doesNotContain("this is a bug");
            } catch (RuntimeException e) {
                found.putIfAbsent(e + " at " + e.getStackTrace()[0], "seed " + seed);
            }
        }
        assertThat(found).isEmpty();
    }

    private static void use(ModelFile file) {
        Graph graph = Graph.of(file);
        graph.requireRawScores("a test");
        NetworkSummary.of(graph, 1, Float.BYTES);
        Folding.fold(graph, FoldOptions.of(2));
    }
}
