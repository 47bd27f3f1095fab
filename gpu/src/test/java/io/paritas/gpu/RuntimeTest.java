/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("kernels")
class RuntimeTest {
    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void thereIsOneGpu() {
        assertThat(Gpu.get()).isSameAs(device.gpu);
        assertThat(device.gpu.computeCapability()).isGreaterThanOrEqualTo(75);
        assertThat(device.gpu.multiprocessors()).isPositive();
        assertThat(device.gpu)
                .hasToString(device.gpu.name() + ", compute capability " + device.gpu.computeCapability() / 10 + "."
                        + device.gpu.computeCapability() % 10);
    }

    @Test
    void bytesGoToTheGpuAndBack() {
        try (PinnedMemory pinned = PinnedMemory.allocate(1000);
                DeviceMemory first = DeviceMemory.allocate(1000);
                DeviceMemory second = device.allocate(1000)) {
            ByteBuffer buffer = pinned.buffer();
            for (int i = 0; i < 1000; i++) {
                buffer.put((byte) i);
            }
            device.stream.copyToDevice(first.address(), pinned.buffer());
            device.stream.copyOnDevice(second.address() + 10, first.address(), 500);
            byte[] bytes = device.download(second.address(), 1000);
            for (int i = 0; i < 1000; i++) {
                assertThat(bytes[i]).as("byte %d", i).isEqualTo((byte) (i >= 10 && i < 510 ? i - 10 : 0xEE));
            }
        }
    }

    @Test
    void fullMemoryOfTheHostIsNotTakenForThatOfTheGpu() {
        assumeTrue(device.isEmulated(), "a host of a GPU may have that much");
        assertThatThrownBy(() -> PinnedMemory.allocate(Integer.MAX_VALUE))
                .isInstanceOfSatisfying(GpuException.class, failure -> assertThat(failure.isOutOfMemory())
                        .isTrue())
                .hasMessage("cuMemHostAlloc of 2147483647 bytes of the host's memory failed: CUDA_ERROR_OUT_OF_MEMORY");
    }

    @Test
    void anEventIsAPointInAStream() {
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent();
                CudaStream other = device.gpu.newStream();
                DeviceMemory memory = device.allocate(16)) {
            start.record(device.stream);
            device.stream.fill(memory.address(), (byte) 1, 16);
            end.record(device.stream);
            other.waitFor(end);
            ByteBuffer copy = ByteBuffer.allocateDirect(16);
            other.copyToHost(copy, memory.address());
            other.synchronise();
            assertThat(copy.get(15)).isEqualTo((byte) 1);
            end.synchronise();
            assertThat(end.millisecondsSince(start)).isGreaterThanOrEqualTo(0);
        }
    }

    @Test
    void streamsOfOthersAreUsedAndNotClosed() {
        try (DeviceMemory memory = device.allocate(16)) {
            CudaStream other = CudaStream.of(device.stream.handle());
            other.fill(memory.address(), (byte) 7, 16);
            other.close();
            assertThat(device.download(memory.address(), 16)).containsOnly(7);
        }
    }

    @Test
    void theDriverIsInChargeOfMemory() {
        assertThat(MemorySource.current().name()).isEqualTo("the driver");
    }

    @Test
    void everyThreadBindsItself() {
        Gpu gpu = device.gpu;
        CompletableFuture.runAsync(() -> {
                    gpu.bind();
                    try (CudaStream stream = gpu.newStream()) {
                        stream.synchronise();
                    }
                })
                .join();
    }

    @Test
    void refusesPtxWithTheAssemblersLog() {
        assertThatThrownBy(() -> CudaModule.assemble("nonsense", ".version 1\nnonsense"))
                .isInstanceOf(GpuException.class)
                .hasMessageStartingWith(
                        "the kernels 'nonsense' cannot be loaded: cuModuleLoadDataEx failed: CUDA_ERROR_")
                .hasMessageMatching("(?s).*CUDA_ERROR_\\w+: \\S.*");
    }

    @Test
    void kernelsWithoutRoomMayBeLoadedLater() {
        assumeTrue(device.isEmulated(), "a GPU's memory is not ours alone");
        String ptx = ".version 8.0\n.target sm_75\n.address_size 64\n";
        try (DeviceMemory others = DeviceMemory.allocate(device.gpu.freeBytes())) {
            assertThat(others.size()).isPositive();
            assertThatThrownBy(() -> CudaModule.assemble("empty", ptx))
                    .isInstanceOfSatisfying(GpuException.class, e -> assertThat(e.isOutOfMemory())
                            .isTrue())
                    .hasMessage("the kernels 'empty' cannot be loaded: cuModuleLoadDataEx failed:"
                            + " CUDA_ERROR_OUT_OF_MEMORY");
        }
        CudaModule.assemble("empty", ptx).close();
    }

    @Test
    void saysWhichKernelIsMissing() {
        assertThatThrownBy(() -> device.gpu.module("erasure").function("no_such_kernel"))
                .isInstanceOf(GpuException.class)
                .hasMessage("the kernels 'erasure' have no 'no_such_kernel':"
                        + " cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND");
        assertThatThrownBy(() -> device.gpu.module("no_such_module"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there are no kernels 'no_such_module' for compute capability ");
    }

    @Test
    void saysHowMuchMemoryWasAskedFor() {
        assertThatThrownBy(() -> DeviceMemory.allocate(1L << 60))
                .isInstanceOf(GpuException.class)
                .hasMessage("cuMemAlloc of " + (1L << 60) + " bytes failed: CUDA_ERROR_OUT_OF_MEMORY");
        assertThatThrownBy(() -> DeviceMemory.allocate(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("memory must have at least 1 byte, got 0");
        assertThatThrownBy(() -> PinnedMemory.allocate(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("memory must have at least 1 byte, got -1");
    }

    @Test
    void refusesWhatNoKernelTakes() {
        CudaFunction kernel = device.gpu.module("erasure").function("erasure_bytes_wide");
        assertThatThrownBy(() -> kernel.launch(LaunchShape.forElements(1, 32), device.stream, "text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a kernel's argument must be a Long, Integer, Float, or an array of one of these for"
                        + " a struct, argument 0 is text");
        assertThatThrownBy(() -> LaunchShape.forElements(1L << 50, 128))
                .hasMessage("a launch must have at most 2147483647 blocks of 128 threads, got 1125899906842624"
                        + " elements: launch it in parts");
        assertThatThrownBy(() -> LaunchShape.forElements(1, 2000))
                .hasMessage("a block must have 1 to 1024 threads and no negative shared memory, got 2000 threads"
                        + " and 0 bytes");
        assertThatThrownBy(() -> device.stream.copyToDevice(0, ByteBuffer.allocate(1)))
                .hasMessageStartingWith("a buffer must be direct, best one of PinnedMemory, got");
    }

    @Test
    void workIsDoneWhenItIsWaitedFor() {
        assumeTrue(device.isEmulated(), "a GPU may be done before it is asked");
        try (DeviceMemory memory = device.upload(new byte[16])) {
            device.stream.fill(memory.address(), (byte) 1, 16);
            ByteBuffer copy = ByteBuffer.allocateDirect(16);
            device.stream.copyToHost(copy, memory.address());
            assertThat(copy.get(0)).as("before anybody waits").isZero();
            device.stream.synchronise();
            assertThat(copy.get(0)).isEqualTo((byte) 1);
        }
    }
}
