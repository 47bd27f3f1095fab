/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.Logged;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import java.util.List;
import java.util.Map;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AssignedGpuTest {
    private static int number(Device device, String... addresses) {
        return AssignedGpu.number(gpus(addresses), device);
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
        assertThat(AssignedGpu.number(Map.of(), Device.CUDA)).isEqualTo(ModelOptions.ANY_GPU);
        assertThat(number(Device.CUDA, "0")).isZero();
        assertThat(number(Device.CUDA, "3")).isEqualTo(3);
        assertThat(number(Device.AUTO, "2", "5")).isEqualTo(2);
    }

    /** As with spark.executor.resource.gpu.amount=1, and no amount for tasks. */
    @Test
    void isTheOnlyOneOfTheExecutorIfTheTaskHasNone() {
        AssignedGpu.executorHas(gpus("3"));

        assertThat(AssignedGpu.number(Map.of(), Device.CUDA)).isEqualTo(3);
        assertThat(AssignedGpu.number(Map.of(), Device.AUTO)).isEqualTo(3);
        assertThat(AssignedGpu.number(Map.of(), Device.CPU)).isEqualTo(ModelOptions.ANY_GPU);
        assertThat(number(Device.CUDA, "1")).isEqualTo(1);
    }

    @Test
    void isAnyIfTheExecutorDoesNotTellWhich() {
        for (Map<String, ResourceInformation> resources : List.of(gpus("2", "3"), gpus("MIG-8b1f"))) {
            AssignedGpu.executorHas(resources);
            assertThat(AssignedGpu.number(Map.of(), Device.CUDA)).isEqualTo(ModelOptions.ANY_GPU);
        }
    }

    /** Discovery scripts for parts of a GPU (MIG) print such names. */
    @Test
    void aNameIsNoNumber() {
        assertThatThrownBy(() -> number(Device.CUDA, "MIG-8b1f"))
                .isInstanceOf(ModelException.class)
                .hasMessage("the address of a task's GPU must be its number among those that the executor sees, Spark"
                        + " assigned 'MIG-8b1f': let spark.executor.resource.gpu.discoveryScript (or that of the"
                        + " worker) print numbers, or predict on the CPU with spark.paritas.engine.device=cpu");
    }

    @Test
    void aNameLeavesModelsThatMayRunAnywhereToTheCpu() {
        try (Logged log = new Logged(AssignedGpu.class.getName())) {
            for (int task = 0; task < 2; task++) {
                assertThat(number(Device.AUTO, "GPU-5c02")).isEqualTo(ModelOptions.NO_GPU);
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
        assertThat(number(Device.CPU, "MIG-8b1f")).isEqualTo(ModelOptions.ANY_GPU);
    }
}
