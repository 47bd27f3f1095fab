/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.GpuException;
import io.paritas.inference.ModelException;
import org.junit.jupiter.api.Test;

class GpuPlanningTest {
    @Test
    void aBatchWithoutRoomIsRefused() {
        GpuException full = GpuException.outOfMemory("Conv 'conv1' for a batch of 512: no room", null);

        assertThatThrownBy(() -> GpuPlanning.sized(512, () -> {
                    throw full;
                }))
                .isInstanceOf(ModelException.class)
                .hasMessage("the GPU cannot measure batches of 512: Conv 'conv1' for a batch of 512: no room: measure"
                        + " smaller ones, with --batch")
                .hasCause(full);
    }
}
