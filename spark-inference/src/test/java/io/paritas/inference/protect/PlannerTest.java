/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Scheme;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannerTest {
    /** A device on which global is the fastest scheme that checks. */
    private static final class Measured implements PlanningDevice {
        private boolean rated;

        @Override
        public DeviceRates rates() {
            rated = true;
            return new DeviceRates("a device", 1, 1);
        }

        @Override
        public int valueBytes() {
            return Float.BYTES;
        }

        @Override
        public TimedLayer open(LayerGeometry layer) {
            return (scheme, runs) -> runs
                    * switch (scheme) {
                        case NONE -> 1;
                        case GLOBAL -> 2;
                        default -> 3;
                    };
        }
    }

    /** Rates take a gigabyte of a GPU, and only readers of a plan want them. */
    @Test
    void whoAsksForSchemesOnlyMeasuresLayersOnly() {
        ModelFile file = TestGraphs.small(1).toModelFile();
        Measured device = new Measured();
        ProtectionPlan plan = Planner.plan(file, 2, Duration.ofMillis(1), device);
        assertThat(device.rated).isTrue();
        device.rated = false;
        assertThat(Planner.schemes(file, 2, Duration.ofMillis(1), device))
                .isEqualTo(
                        plan.layers().stream().map(ProtectionPlan.Layer::scheme).toList())
                .isNotEmpty()
                .containsOnly("global");
        assertThat(device.rated).isFalse();
    }

    /** Sizes are those of the CPU's layers; what the CPU cannot protect has layers, too. */
    @Test
    void layersOfAnyNetworkArePlanned() {
        ModelFile file = Networks.resNet18(List.of(3, 8, 8), 10, 4).toModelFile();
        assertThat(Planner.plan(file, 2, Duration.ofMillis(1), new Measured()).layers())
                .extracting(layer -> layer.name() + " " + layer.m() + " " + layer.n() + " " + layer.k())
                .isEqualTo(Planner.plan(file, 2, Duration.ofMillis(1)).layers().stream()
                        .map(layer -> layer.name() + " " + layer.m() + " " + layer.n() + " " + layer.k())
                        .toList());

        ModelFile gate = RawGraph.of(4, 6)
                .weight("w", 6, 5)
                .node("MatMul", "rows", "input", "w")
                .node("Sigmoid", "open", "rows")
                .node("Mul", "out", "rows", "open")
                .build()
                .toModelFile();
        assertThat(Planner.plan(gate, 2, Duration.ofMillis(1), new Measured()).layers())
                .singleElement()
                .satisfies(layer -> {
                    assertThat(layer.name()).isEqualTo("MatMul 'rows'");
                    assertThat(List.of(layer.m(), layer.n(), layer.k())).containsExactly(8L, 5L, 6L);
                });
    }

    @Test
    void convolutionsOfOneOrThreeDimensionsAreRefused() {
        ModelFile line = RawGraph.of(1, 9)
                .weight("w", 4, 1, 3)
                .node("Conv", "out", "input", "w")
                .build()
                .toModelFile();
        assertThatThrownBy(() -> Planner.plan(line, 2, Duration.ofMillis(1), new Measured()))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "protected networks compute vectors and images of channels, height and width; Conv 'out' has"
                                + " rows of the shape [1, 9]: run it unprotected, with another engine");
        ModelFile film = RawGraph.of(1, 9, 9, 9)
                .weight("w", 4, 1, 3, 3, 3)
                .node("Conv", "out", "input", "w")
                .list("strides", 1L, 1L, 1L)
                .build()
                .toModelFile();
        assertThatThrownBy(() -> Planner.plan(film, 2, Duration.ofMillis(1), new Measured()))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "protected networks compute vectors and images of channels, height and width; Conv 'out' has"
                                + " rows of the shape [1, 9, 9, 9]: run it unprotected, with another engine");
    }

    /** Rates take 128 MiB, which an executor may not have. */
    @Test
    void whoLoadsWithoutAPlanMeasuresLayersOnly(@TempDir Path folder) throws IOException {
        ModelFile file = TestGraphs.small(1).toModelFile();
        assertThat(arraysOfRates(folder, () -> {
                    ModelOptions options = ModelOptions.DEFAULT.withProtection(Protection.of(Protection.Mode.GUIDED));
                    try (ProtectedModel model = (ProtectedModel) new ProtectedEngine().load(file, options)) {
                        assertThat(model.schemes())
                                .hasSize(3)
                                .isSubsetOf(Planner.CANDIDATES)
                                .doesNotContain(Scheme.NONE);
                    }
                }))
                .isEmpty();
        assertThat(arraysOfRates(folder, () -> Planner.plan(file, 2, Duration.ofMillis(1))))
                .hasSize(1);
    }

    /** Bytes of each array of the size that only rates have, which the flight recorder sees while the work runs. */
    private static List<Long> arraysOfRates(Path folder, Runnable work) throws IOException {
        String event = "jdk.ObjectAllocationOutsideTLAB";
        try (Recording recording = new Recording()) {
            recording.enable(event);
            recording.start();
            work.run();
            recording.stop();
            Path file = folder.resolve("recording.jfr");
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(seen -> seen.getEventType().getName().equals(event))
                    .map(seen -> seen.getLong("allocationSize"))
                    .filter(bytes -> bytes >= 128 << 20)
                    .toList();
        }
    }
}
