/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.Logged;
import io.paritas.inference.ModelException;
import java.util.List;
import java.util.Map;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AssignedGpuTest {
    private static GpuChoice choice(Device device, String... addresses) {
        return AssignedGpu.of(gpus(addresses), device);
    }

    private static Map<String, ResourceInformation> gpus(String... addresses) {
        return Map.of("gpu", new ResourceInformation("gpu", addresses));
    }

    @AfterEach
    void forgetTheExecutor() {
        AssignedGpu.executorHas(Map.of());
    }

    @Test
    void isTheFirstOfTheTask() {
        assertThat(AssignedGpu.of(Map.of(), Device.CUDA)).isEqualTo(GpuChoice.ANY);
        assertThat(choice(Device.CUDA, "0")).isEqualTo(GpuChoice.of(0));
        assertThat(choice(Device.CUDA, "3")).isEqualTo(GpuChoice.of(3));
        assertThat(choice(Device.AUTO, "2", "5")).isEqualTo(GpuChoice.of(2));
    }

    /** As with spark.executor.resource.gpu.amount=1, and no amount for tasks. */
    @Test
    void isTheOnlyOneOfTheExecutorIfTheTaskHasNone() {
        AssignedGpu.executorHas(gpus("3"));

        assertThat(AssignedGpu.of(Map.of(), Device.CUDA)).isEqualTo(GpuChoice.of(3));
        assertThat(AssignedGpu.of(Map.of(), Device.AUTO)).isEqualTo(GpuChoice.of(3));
        assertThat(AssignedGpu.of(Map.of(), Device.CPU)).isEqualTo(GpuChoice.ANY);
        assertThat(choice(Device.CUDA, "1")).isEqualTo(GpuChoice.of(1));
    }

    @Test
    void isAnyIfTheExecutorDoesNotTellWhich() {
        for (Map<String, ResourceInformation> resources : List.of(gpus("2", "3"), gpus("MIG-8b1f"))) {
            AssignedGpu.executorHas(resources);
            assertThat(AssignedGpu.of(Map.of(), Device.CUDA)).isEqualTo(GpuChoice.ANY);
        }
    }

    /** Discovery scripts for parts of a GPU (MIG) print such names. */
    @Test
    void aNameIsNoNumber() {
        assertThatThrownBy(() -> choice(Device.CUDA, "MIG-8b1f"))
                .isInstanceOf(ModelException.class)
                .hasMessage("the address of a task's GPU must be its number among those that the executor sees, Spark"
                        + " assigned 'MIG-8b1f': let spark.executor.resource.gpu.discoveryScript (or that of the"
                        + " worker) print numbers, or predict on the CPU with spark.paritas.engine.device=cpu");
    }

    @Test
    void aNameLeavesModelsThatMayRunAnywhereToTheCpu() {
        try (Logged log = new Logged(AssignedGpu.class.getName())) {
            for (int task = 0; task < 2; task++) {
                assertThat(choice(Device.AUTO, "GPU-5c02")).isEqualTo(GpuChoice.NONE);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: tasks predict on the CPU: the address of a task's GPU must be its number among"
                                    + " those that the executor sees, Spark assigned 'GPU-5c02': let"
                                    + " spark.executor.resource.gpu.discoveryScript (or that of the worker) print numbers");
        }
    }

    @Test
    void modelsOnTheCpuDoNotCareForIt() {
        assertThat(choice(Device.CPU, "MIG-8b1f")).isEqualTo(GpuChoice.ANY);
    }
}
