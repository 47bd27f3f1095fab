/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.Gpu;
import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.ModelPool;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("contract")
class GpuEngineTest {
    private final GpuEngine engine = new GpuEngine();

    /** ONNX Runtime has no GPU here, and is not asked to do without. */
    @Test
    void autoTakesItForTheDeviceCuda() {
        try (Model model =
                ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT.withDevice(Device.CUDA))) {
            assertThat(model).isInstanceOf(GpuModel.class);
            assertThat(model.device()).isEqualTo(Device.CUDA);
            assertThat(model.output().shape()).containsExactly(3);
        }
    }

    /** Whoever screens predictions blames the GPU, not the processor beside it. */
    @Test
    void namesTheGpuThatComputes() {
        ModelFile file = TestGraphs.small(1).toModelFile();
        ModelOptions options = ModelOptions.DEFAULT.withDevice(Device.CUDA);
        try (ModelPool pool = new ModelPool(1, Duration.ofMinutes(1));
                Model model = pool.acquire(file, options).model()) {
            assertThat(model.hardware())
                    .isEqualTo(new Hardware(
                            Gpu.current().name() + " with " + Gpu.current().multiprocessors() + " multiprocessors",
                            Gpu.current().uuid()));
            assertThat(pool.hardware(ModelPool.name(file, options))).containsExactly(model.hardware());
        }
    }

    @Test
    void refusesOtherOperatorsAndDevices() {
        var leaky = RawGraph.of(3).node("LeakyRelu", "out", "input").build().toModelFile();
        assertThat(engine.unavailable(Device.CPU)).hasValue("it runs on a GPU: ask for the device CUDA or AUTO");
        assertThatThrownBy(() -> engine.load(leaky, ModelOptions.DEFAULT))
                .isInstanceOf(UnsupportedModelException.class)
                .hasMessageContaining("got LeakyRelu 'out'");
        assertThatThrownBy(() -> engine.load(leaky, ModelOptions.DEFAULT.withGpu(GpuChoice.of(63))))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "gpu cannot run on the device CUDA 63: the GPU of a model must be the number of a GPU, 0 to 0"
                                + " here, got 63: check CUDA_VISIBLE_DEVICES, and that the discovery script of Spark sees the"
                                + " same GPUs");
    }
}
