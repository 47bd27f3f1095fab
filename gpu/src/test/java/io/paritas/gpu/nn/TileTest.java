/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.gpu.Device;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("kernels")
class TileTest {
    private static final String WGMMA = "io.paritas.gpu.wgmma";

    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    private Tile tile(Precision precision, Scheme scheme, int blocks, int columns) {
        int rows = blocks * 128 * device.gpu.multiprocessors();
        try (Weights weights = new Weights(precision, 1, columns, (k, n) -> 1, new float[columns])) {
            return Tile.of(weights, scheme, rows);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HALF, NONE, 30, NARROW",
        "HALF, NONE, 64, TALL",
        "HALF, NONE, 128, WARPGROUP_TALL",
        "HALF, GLOBAL, 256, WARPGROUP_WIDE",
        "HALF, GLOBAL, 384, WARPGROUP_TALL",
        "HALF, THREAD, 256, TALL",
        "SINGLE, NONE, 256, WIDE"
    })
    void itIsTheLargestThatFitsTheColumns(Precision precision, Scheme scheme, int columns, Tile tile) {
        assumeTrue(device.gpu.hasWgmma(), "the GPU has no wgmma");
        device.set(WGMMA, "true");
        assertThat(tile(precision, scheme, 2, columns)).isEqualTo(tile);
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void wgmmaIsUsedIfItIsAskedFor(Precision precision) {
        device.set(WGMMA, "false");
        assertThat(tile(precision, Scheme.NONE, 2, 256)).isEqualTo(Tile.WIDE);
    }
}
