/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelOptionsTest {

    @Test
    void everySettingCanBeChangedAlone() {
        ModelOptions options = ModelOptions.DEFAULT
                .withInputShape(List.of(3, 32, 32))
                .withEngine("libtorch")
                .withDevice(Device.CPU)
                .withThreads(2)
                .withGpu(GpuChoice.of(1));
        assertThat(options)
                .isEqualTo(new ModelOptions(
                        "libtorch", Device.CPU, 2, List.of(3, 32, 32), GpuChoice.of(1), Protection.OFF));
        assertThat(new ModelOptions("auto", Device.AUTO, 1)).isEqualTo(ModelOptions.DEFAULT);
        assertThat(ModelOptions.DEFAULT.inputShape()).isEmpty();
        assertThat(ModelOptions.DEFAULT.gpu()).isEqualTo(GpuChoice.ANY);
        assertThat(ModelOptions.DEFAULT.gpu().orFirst()).isZero();
        assertThat(options.gpu().number()).hasValue(1);
        assertThat(options.gpu().orFirst()).isEqualTo(1);
    }

    @Test
    void theShapeIsCopied() {
        List<Integer> shape = new ArrayList<>(List.of(4));
        ModelOptions options = ModelOptions.DEFAULT.withInputShape(shape);
        shape.set(0, 5);
        assertThat(options.inputShape()).containsExactly(4);
    }

    @Test
    void refusesNumbersThatAreTooSmall() {
        assertThatThrownBy(() -> ModelOptions.DEFAULT.withThreads(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a model needs at least 1 thread, got 0");
        assertThatThrownBy(() -> ModelOptions.DEFAULT.withInputShape(List.of(3, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("every dimension of the input of one row must be at least 1, got [3, 0]");
        assertThatThrownBy(() -> GpuChoice.of(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the number of a GPU must be at least 0, got -1");
        assertThatThrownBy(() -> ModelOptions.DEFAULT.withDevice(Device.CUDA).withGpu(GpuChoice.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a model for the device CUDA must have a GPU, got none: let it run anywhere, or on the CPU");
    }
}
