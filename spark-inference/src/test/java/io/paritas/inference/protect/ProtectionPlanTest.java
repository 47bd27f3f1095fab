/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import io.paritas.inference.protect.gemm.Scheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtectionPlanTest {
    private static final ModelFile FILE = TestGraphs.small(1).toModelFile();
    private static final ProtectionPlan PLAN = Planner.plan(FILE, 8, Duration.ofMillis(5));

    @Test
    void choosesTheFastestThatChecks() {
        assertThat(PLAN.layers()).extracting(Layer::name).containsExactly("Conv 'conv1'", "Gemm 'fc1'", "Gemm 'fc2'");
        for (Layer layer : PLAN.layers()) {
            assertThat(layer.seconds()).containsOnlyKeys("none", "global", "thread", "two-sided");
            String fastest = layer.seconds().keySet().stream()
                    .filter(scheme -> !scheme.equals("none"))
                    .min(Comparator.comparing(layer.seconds()::get))
                    .orElseThrow();
            assertThat(layer.scheme()).isEqualTo(fastest);
        }
    }

    @Test
    void aFasterUnprotectedLayerIsNeverTheChoice() {
        LayerShape shape = new LayerShape(8, 16, 32, 1);
        Layer layer = Layer.of(
                "Gemm 'x'", shape, Float.BYTES, Map.of("none", 1.0, "global", 1.4, "thread", 1.2, "two-sided", 1.3));
        assertThat(layer.scheme()).isEqualTo("thread");
        assertThat(layer.overhead()).isCloseTo(0.2, org.assertj.core.api.Assertions.within(1e-9));
        assertThat(layer.operations()).isEqualTo(2 * 8 * 16 * 32);
        assertThat(layer.bytes()).isEqualTo(4 * (8 * 32 + 32 * 16 + 8 * 16));
        assertThat(layer.intensity()).isEqualTo((double) layer.operations() / layer.bytes());
    }

    @Test
    void aPlanFileIsReadAsItWasWritten(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("plan.json"), PLAN.json());
        assertThat(ProtectionPlan.read(file)).isEqualTo(PLAN);
    }

    @Test
    void aModelUsesItsPlan() {
        Protection guided = new Protection(Mode.GUIDED, PLAN.json());
        try (var model = (ProtectedModel) ModelEngines.load(FILE, ModelOptions.DEFAULT.withProtection(guided))) {
            assertThat(model.schemes())
                    .isEqualTo(PLAN.layers().stream()
                            .map(layer -> Scheme.named(layer.scheme()))
                            .toList());
        }
    }

    @Test
    void aPlanOfAnotherModelIsRefused() {
        ModelFile other = TestGraphs.small(2).toModelFile();
        Protection guided = new Protection(Mode.GUIDED, PLAN.json());
        assertThatThrownBy(() -> ModelEngines.load(other, ModelOptions.DEFAULT.withProtection(guided)))
                .isInstanceOf(ModelException.class)
                .hasMessage("a protection plan must be for its model: the plan is for " + FILE.sha256()
                        + ", the model is " + other.sha256() + ": make a plan with bin/paritas protect plan");
    }

    @Test
    void aPlanThatIsNoneIsRefused() {
        assertThatThrownBy(() -> ProtectionPlan.parse("{"))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a protection plan must be JSON as bin/paritas protect plan writes it");
        assertThatThrownBy(() -> ProtectionPlan.parse("null"))
                .isInstanceOf(ModelException.class)
                .hasMessage("a protection plan must be a JSON object, got null");
        assertThatThrownBy(() -> ProtectionPlan.parse(PLAN.json().replace("\"version\" : 1", "\"version\" : 7")))
                .hasMessage("a protection plan must have version 1, got 7: use a newer Paritas, or make it again with"
                        + " bin/paritas protect plan");
        assertThatThrownBy(() -> ProtectionPlan.parse("{\"version\" : 2, \"precision\" : \"float16\"}"))
                .hasMessageStartingWith("a protection plan must have version 1, got 2: use a newer Paritas");
        assertThatThrownBy(() -> ProtectionPlan.parse("{\"version\" : 1, \"rows\" : 8}"))
                .hasMessage("a protection plan must have a model, a device and layers, this one lacks some: make it"
                        + " again with bin/paritas protect plan");
        for (String damaged : List.of(PLAN.json() + "{}", PLAN.json().replaceFirst("\\{", "{\"rows\" : 4,"))) {
            assertThatThrownBy(() -> ProtectionPlan.parse(damaged))
                    .as(damaged)
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("a protection plan must be JSON as bin/paritas protect plan writes it");
        }
        ProtectionPlan lacking = ProtectionPlan.of(
                FILE.sha256(), PLAN.device(), 8, List.copyOf(PLAN.layers().subList(0, 2)));
        assertThatThrownBy(() -> lacking.schemes(FILE, List.of("Conv 'conv1'", "Gemm 'fc1'", "Gemm 'fc2'"), "here"))
                .hasMessage("a protection plan must have the layers of its model, [Conv 'conv1', Gemm 'fc1', Gemm"
                        + " 'fc2'], got [Conv 'conv1', Gemm 'fc1']: make it again with bin/paritas protect plan");
    }

    /** The driver checks it, before any executor loads the model. */
    @ParameterizedTest
    @ValueSource(strings = {"\"wieghted\"", "null"})
    void aSchemeThatThereIsNotIsRefused(String scheme) {
        String damaged = PLAN.json().replaceFirst("\"scheme\" : \"[a-z-]+\"", "\"scheme\" : " + scheme);
        assertThatThrownBy(() -> ProtectionPlan.check(FILE, new Protection(Mode.GUIDED, damaged)))
                .isInstanceOf(ModelException.class)
                .hasMessage("the layer Conv 'conv1' of a protection plan must have a scheme that there is: a scheme is"
                        + " one of none, global, thread, two-sided, weighted, replication, duplication; got '"
                        + scheme.replace("\"", "") + "'");
    }

    @Test
    void aLayerOrADeviceWithoutANameIsRefused() {
        String noLayer = PLAN.json().replaceFirst("\"name\" : \"Gemm 'fc1'\"", "\"name\" : null");
        assertThatThrownBy(() -> ProtectionPlan.check(FILE, new Protection(Mode.GUIDED, noLayer)))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("each layer of a protection plan must have a name, got Layer[name=null, m=8,")
                .hasMessageEndingWith(": make it again with bin/paritas protect plan");
        ProtectionPlan nobodys = ProtectionPlan.of(FILE.sha256(), new DeviceRates(null, 2, 1), 8, PLAN.layers());
        assertThatThrownBy(() -> ProtectionPlan.check(FILE, new Protection(Mode.GUIDED, nobodys.json())))
                .isInstanceOf(ModelException.class)
                .hasMessage("a protection plan must name the device that it was measured on, got DeviceRates[name=null,"
                        + " operations=2.0, bytes=1.0]: make it again with bin/paritas protect plan");
    }

    @Test
    void onlyGuidedLayersHaveAPlan() {
        assertThatThrownBy(() -> new Protection(Mode.GLOBAL, "{}"))
                .hasMessage("a plan needs the mode GUIDED, got GLOBAL: leave out the plan, or use GUIDED");
    }
}
