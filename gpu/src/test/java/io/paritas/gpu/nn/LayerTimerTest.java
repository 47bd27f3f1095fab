/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.Device;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Times are those of whatever runs the kernels; that there are any, of every scheme, is what is tested. */
@Tag("kernels")
class LayerTimerTest {
    private static Device device;

    @BeforeAll
    static void open() {
        device = new Device();
    }

    @AfterAll
    static void close() {
        device.close();
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void everySchemeOfAProductHasATime(Precision precision) {
        try (LayerTimer timer = LayerTimer.gemm(precision, 70, 33, 20)) {
            for (Scheme scheme : Scheme.values()) {
                if (scheme.supports(precision)) {
                    assertThat(timer.seconds(scheme, 2).orElseThrow())
                            .as("%s", scheme)
                            .isPositive();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void everySchemeOfAConvolutionHasATime(Precision precision) {
        try (LayerTimer timer =
                LayerTimer.convolution(precision, new ImageFilter(9, 7, 3, 3, 3, 2, 1).window(), 2, 5)) {
            for (Scheme scheme : Scheme.values()) {
                if (scheme.supports(precision)) {
                    assertThat(timer.seconds(scheme, 1).orElseThrow())
                            .as("%s", scheme)
                            .isPositive();
                }
            }
        }
    }

    @Test
    void aSchemeThatThePrecisionLacksIsRefused() {
        try (LayerTimer timer = LayerTimer.gemm(Precision.SINGLE, 2, 3, 4)) {
            assertThatThrownBy(() -> timer.seconds(Scheme.THREAD_HALF, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the scheme thread-half needs the precision half: for single use thread");
        }
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void ratesAreMeasured(Precision precision) {
        GpuRates rates = GpuRates.measure(precision);
        assertThat(rates.operations()).isPositive().isFinite();
        assertThat(rates.bytes()).isPositive().isFinite();
    }
}
