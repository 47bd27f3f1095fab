/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BitFlipTest {
    private static final int CHANNELS = 6;
    private static final int PIXELS = 5 * 5;

    /** Two channels are a product of their own, and the layer has three of them. */
    @Test
    void aColumnIsAChannelOfAnyGroup() {
        ModelFile file = RawGraph.of(3, 5, 5)
                .weight("w", CHANNELS, 1, 3, 3)
                .node("Conv", "out", "input", "w")
                .set("group", 3)
                .list("pads", 1L, 1L, 1L, 1L)
                .build()
                .toModelFile();
        float[] input = TestGraphs.values(3 * PIXELS);
        AtomicReference<LayerProbes> current = new AtomicReference<>(LayerProbes.NONE);
        try (ProtectedModel model = ProtectedModel.disturbed(
                file, Scheme.NONE, layer -> current.get().of(layer))) {
            assertThat(model.shape(0, 1).columns()).isEqualTo(CHANNELS);
            float[] right = model.predict(input);
            for (int channel = 0; channel < CHANNELS; channel++) {
                for (int pixel = 0; pixel < PIXELS; pixel++) {
                    current.set(new BitFlip(0, pixel, channel, 31));
                    right[channel * PIXELS + pixel] *= -1;
                    assertThat(model.predict(input))
                            .as("channel %d, pixel %d", channel, pixel)
                            .isEqualTo(right);
                    right[channel * PIXELS + pixel] *= -1;
                }
            }
        }
    }
}
