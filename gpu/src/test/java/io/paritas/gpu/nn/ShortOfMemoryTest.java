/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.CountedMemory;
import io.paritas.gpu.CountedMemory.Used;
import io.paritas.gpu.Device;
import io.paritas.gpu.GpuException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is made while the memory is full keeps nothing of it. */
@Tag("kernels")
class ShortOfMemoryTest {
    private static final int SIDE = 64;

    private final Device device = new Device();

    @AfterEach
    void close() {
        CountedMemory.stop();
        device.close();
    }

    private static Weights weights() {
        return new Weights(Precision.SINGLE, SIDE, SIDE, (k, n) -> k + n, new float[SIDE]);
    }

    @Test
    void layersAndTheirOperands() {
        assertThat(CountedMemory.runShortOfMemory(() -> {
                    try (Weights weights = weights();
                            Gemm layer = new Gemm(weights, Scheme.GLOBAL, Activation.RELU);
                            Activations input = Activations.aligned(Precision.SINGLE, SIDE, SIDE);
                            Activations output = Activations.dense(Precision.SINGLE, SIDE, SIDE);
                            Activations view = output.reshaped(1, SIDE * SIDE);
                            FaultBuffer faults = new FaultBuffer(device.stream)) {
                        layer.run(input, output, faults, device.stream);
                        device.stream.synchronise();
                        assertThat(view.columns()).isEqualTo(SIDE * SIDE);
                    }
                }))
                .isEqualTo(14);
    }

    @Test
    void concatenation() {
        assertThat(CountedMemory.runShortOfMemory(() -> new ImageConcatenation(2, 1, SIDE, SIDE).close()))
                .isEqualTo(2);
    }

    @Test
    void timers() {
        assertThat(CountedMemory.runShortOfMemory(() -> {
                    try (LayerTimer timer = LayerTimer.gemm(Precision.SINGLE, SIDE, SIDE, SIDE)) {
                        timer.seconds(Scheme.GLOBAL, 1);
                    }
                }))
                .isPositive();
    }

    @Test
    void aFaultBufferThatCannotGrowStaysAsItWas() {
        CountedMemory.start();
        try (FaultBuffer faults = new FaultBuffer(device.stream)) {
            faults.scratch(SIDE, device.stream);
            Used before = CountedMemory.used();
            CountedMemory.allow(0);
            assertThatThrownBy(() -> faults.scratch(2 * SIDE, device.stream)).isInstanceOf(GpuException.class);
            assertThat(faults.scratch(SIDE, device.stream)).isPositive();
            assertThat(CountedMemory.used()).isEqualTo(before);
        }
        assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
    }
}
