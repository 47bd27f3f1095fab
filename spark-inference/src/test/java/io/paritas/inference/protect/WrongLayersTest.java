/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WrongLayersTest {
    /** Those of other tests in this JVM. */
    @BeforeEach
    void forget() {
        WrongLayers.drain();
    }

    @Test
    void layersThatWerePutRightAreNamedOnce() {
        AtomicReference<LayerProbes> current = new AtomicReference<>(LayerProbes.NONE);
        try (ProtectedModel model =
                ProtectedModel.disturbed(TestGraphs.small(1).toModelFile(), Scheme.GLOBAL, layer -> current.get()
                        .of(layer))) {
            model.predict(TestGraphs.values(64));
            assertThat(WrongLayers.drain()).isEmpty();
            for (int i = 0; i < 20; i++) {
                current.set(new BitFlip(1, 0, 0, 30));
                model.predict(TestGraphs.values(64));
            }

            assertThat(WrongLayers.drain())
                    .as("no more than somebody will read")
                    .hasSize(16)
                    .containsOnly(model.layers().get(1));
            assertThat(WrongLayers.drain()).isEmpty();
        } finally {
            ProtectionCounts.drain();
        }
    }
}
