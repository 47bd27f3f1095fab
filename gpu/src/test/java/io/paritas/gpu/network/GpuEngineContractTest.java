/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.CountedMemory;
import io.paritas.gpu.CountedMemory.Used;
import io.paritas.inference.Device;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * Fewer repetitions than for other engines, because the emulator is slow; {@code -Dio.paritas.test.batches=10000} has as many. Memory is that of
 * the GPU and page-locked memory: the emulator and the heap have much more.
 */
@Tag("contract")
class GpuEngineContractTest extends ModelEngineContract {
    @BeforeEach
    void count() {
        CountedMemory.start();
    }

    @AfterEach
    void stop() {
        CountedMemory.stop();
    }

    @Override
    protected ModelEngine engine() {
        return new GpuEngine();
    }

    @Override
    protected Device device() {
        return Device.CUDA;
    }

    @Override
    protected int times(int whole) {
        return (int) Math.max(2, (long) whole * GpuModelMemoryTest.BATCHES / 10_000);
    }

    @Override
    protected OptionalLong kilobytesInUse() {
        Used used = CountedMemory.used();
        return OptionalLong.of((used.device() + used.pinned()) / 1024);
    }
}
