/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.Device;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("kernels")
class SplitKTest {
    private static final String SETTING = "io.paritas.gpu.splitK";

    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    private static int slices(Tile tile, int rows, int columns, int depth) {
        try (Weights weights = new Weights(Precision.HALF, depth, columns, (k, n) -> 1, new float[columns])) {
            return SplitK.slices(tile, weights, rows);
        }
    }

    @Test
    void deepProductsOfFewTilesAreDivided() {
        device.set(SETTING, "true");
        assertThat(slices(Tile.SQUARE, 1, 64, 1024)).as("the root of 32 steps").isEqualTo(5);
        assertThat(slices(Tile.SQUARE, 64, 1, 100_000)).isEqualTo(SplitK.MOST);
        assertThat(slices(Tile.SQUARE, 1, 64, 992)).as("few steps").isEqualTo(1);
        assertThat(slices(Tile.SQUARE, 1 << 16, 64, 1024))
                .as("a tile for each multiprocessor")
                .isEqualTo(1);
        assertThat(slices(Tile.TALL, 1, 64, 1024)).as("another tile").isEqualTo(1);
    }

    @Test
    void nothingIsDividedIfTheSettingIsOff() {
        device.set(SETTING, "false");
        assertThat(slices(Tile.SQUARE, 1, 64, 1024)).isEqualTo(1);
    }
}
