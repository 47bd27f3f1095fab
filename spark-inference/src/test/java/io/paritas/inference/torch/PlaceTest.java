/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.ModelOptions;
import org.junit.jupiter.api.Test;

class PlaceTest {

    @Test
    void onlyCudaHasNumbers() {
        ModelOptions second = ModelOptions.DEFAULT.withGpu(GpuChoice.of(1));
        assertThat(Place.of(second.withDevice(Device.CUDA))).hasToString("CUDA 1");
        assertThat(Place.of(Device.CUDA)).hasToString("CUDA 0");
        assertThat(Place.of(second.withDevice(Device.CPU))).hasToString("CPU").isEqualTo(Place.of(Device.CPU));
    }

    @Test
    void libTorchKnowsIt() {
        try (org.bytedeco.pytorch.Device gpu = new Place(Device.CUDA, 3).libTorchs();
                org.bytedeco.pytorch.Device cpu = Place.of(Device.CPU).libTorchs()) {
            assertThat(gpu.is_cuda()).isTrue();
            assertThat(gpu.index()).isEqualTo((byte) 3);
            assertThat(cpu.is_cpu()).isTrue();
        }
    }
}
