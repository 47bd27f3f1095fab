/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LayerFindingsTest {
    @Test
    void layersThatWerePutRightAreNamedOnce() {
        AtomicReference<LayerProbes> current = new AtomicReference<>(LayerProbes.NONE);
        try (ProtectedModel model = ProtectedModel.disturbed(
                        TestGraphs.small(1).toModelFile(), Scheme.GLOBAL, layer -> current.get()
                                .of(layer));
                LayerFindings found = LayerFindings.open()) {
            model.predict(TestGraphs.values(64));
            assertThat(found.layers()).isEmpty();
            for (int i = 0; i < 20; i++) {
                current.set(new BitFlip(1, 0, 0, 30));
                model.predict(TestGraphs.values(64));
            }

            assertThat(found.layers())
                    .as("no more than somebody will read")
                    .hasSize(16)
                    .containsOnly(model.layers().get(1));
        }
    }

    @Test
    void findingsAreThoseOfTheInnermost() {
        LayerFindings.Where where = new LayerFindings.Where("Gemm 'fc1'", 7, "a test");
        try (LayerFindings outer = LayerFindings.open()) {
            LayerFindings.current().checked(5, 1);
            try (LayerFindings inner = LayerFindings.open()) {
                LayerFindings.current().rightAgain(where);
                assertThat(inner.counts()).isEqualTo(new ProtectionCounts(0, 0, 1, 1));
                assertThat(inner.layers()).containsExactly("Gemm 'fc1'");
            }
            assertThat(LayerFindings.current()).isSameAs(outer);
            assertThat(outer.counts()).isEqualTo(new ProtectionCounts(5, 1, 0, 0));
            assertThat(outer.layers()).isEmpty();
        }
    }

    /** Clients decide how often their queries overflow: not each one is a line. */
    @Test
    void ofManyOverflowsOneIsAWarning() {
        LayerFindings.Where where = new LayerFindings.Where("Gemm 'overflowing'", 7, "a test");
        try (Logged log = new Logged(LayerFindings.class.getName());
                LayerFindings found = LayerFindings.open()) {
            for (int i = 0; i < 100; i++) {
                LayerFindings.current().overflow(where);
            }

            assertThat(found.counts().detections()).isEqualTo(100);
            assertThat(log.lines())
                    .startsWith(
                            "WARN Paritas: values in Gemm 'overflowing' are not finite, the same twice, computed by a"
                                    + " test")
                    .hasSize(100)
                    .filteredOn(line -> line.startsWith("WARN"))
                    .as("one in ten seconds")
                    .hasSizeLessThan(10);
        }
    }

    @Test
    void whatNobodyAsksForIsLoggedOnly() {
        try (Logged log = new Logged(LayerFindings.class.getName())) {
            LayerFindings.current().rightAgain(new LayerFindings.Where("Gemm 'fc1'", 7, "a test"));
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: wrong values were found in Gemm 'fc1', computed by a test, and computed"
                                    + " once more");
        }
        assertThat(LayerFindings.current().layers()).isEmpty();
    }
}
