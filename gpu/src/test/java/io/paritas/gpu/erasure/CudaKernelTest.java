/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.RangeFolds;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.CountedMemory;
import io.paritas.gpu.CountedMemory.Used;
import io.paritas.gpu.Device;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Units of the host on their way through the GPU. */
@Tag("kernels")
class CudaKernelTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final Program PROGRAM =
            Program.product(Generators.hdfsCauchy(new CodeParameters(3, 2)).toRows());

    /** So many bytes of each of the five units fit into a slot of the smallest staging. */
    private static final int CHUNK = (64 << 10) / 5 / 256 * 256;

    private final Device device = new Device();
    private final Random random = new Random(SEED);

    @AfterEach
    void close() {
        device.close();
    }

    private byte[][] units(int count, int length) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    private static byte[][] expected(byte[][] inputs, int length) {
        byte[][] outputs = new byte[2][length];
        KernelChoice.named("plain").provider().compile(PROGRAM).apply(Regions.of(inputs), Regions.of(outputs));
        return outputs;
    }

    private static void check(Kernel kernel, byte[][] inputs) {
        byte[][] outputs = new byte[2][inputs[0].length];
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
        assertThat(outputs)
                .as("%d bytes, seed %d", inputs[0].length, SEED)
                .isDeepEqualTo(expected(inputs, inputs[0].length));
    }

    @Test
    void longUnitsGoInChunks() {
        try (Staging staging = new Staging(device.gpu, 1)) {
            DeviceKernel kernel = DeviceKernels.bytes(PROGRAM);
            for (int length : new int[] {1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 13, 5 * CHUNK + 255}) {
                check(
                        (inputs, outputs) -> staging.run(kernel, inputs, outputs, RangeFolds.begin(PROGRAM)),
                        units(3, length));
            }
        }
    }

    /** A file with a hole, as long as a buffer can be. */
    @Test
    void theLongestUnitGoesInChunks(@TempDir Path folder) throws IOException {
        AtomicLong bytes = new AtomicLong();
        DeviceKernel counting = (inputs, outputs, stream) -> bytes.addAndGet(inputs.length());
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("unit").toFile(), "rw");
                Staging staging = new Staging(device.gpu, 16 << 20)) {
            file.setLength(Integer.MAX_VALUE);
            ByteBuffer unit = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, Integer.MAX_VALUE);
            staging.run(counting, Regions.of(unit), Regions.of(new byte[0][]), RangeFolds.begin(PROGRAM));
        }
        assertThat(bytes).hasValue(Integer.MAX_VALUE);
    }

    /** A coefficient on the GPU is wrong in one bit. */
    @Test
    void mistakesOfTheGpuAreNoticed() {
        int[][] rows = Generators.hdfsCauchy(new CodeParameters(3, 2)).toRows();
        rows[1][2] ^= 4;
        CudaKernel wrong = new CudaKernel(
                device.gpu,
                new StagingPool(device.gpu, 1),
                PROGRAM,
                Long.MAX_VALUE,
                DeviceKernels.bytes(Program.product(rows)),
                Runnable::run);
        CudaKernel right = new CudaKernel(device.gpu, new StagingPool(device.gpu, 1), PROGRAM, 0);
        for (int length : new int[] {1, 7, 4096 + 13, 3 * CHUNK + 5}) {
            byte[][] inputs = units(3, length);
            byte[][] outputs = new byte[2][length];
            assertThatThrownBy(() -> wrong.apply(Regions.of(inputs), Regions.of(outputs)))
                    .isInstanceOf(CodingFaultException.class)
                    .hasMessageStartingWith("coding 3 units to 2 went wrong in this process");
            check(right, inputs);
        }
    }

    @Test
    void buffersKeepTheirPositions() {
        int length = CHUNK + 77;
        byte[][] bytes = units(3, length);
        ByteBuffer[] inputs = new ByteBuffer[3];
        for (int i = 0; i < 3; i++) {
            inputs[i] = ByteBuffer.allocateDirect(length + 2 * i)
                    .position(i)
                    .put(bytes[i])
                    .flip()
                    .position(i);
        }
        byte[] array = new byte[length + 11];
        System.arraycopy(bytes[0], 0, array, 11, length);
        inputs[0] = ByteBuffer.wrap(array, 11, length);
        ByteBuffer[] outputs = {ByteBuffer.allocateDirect(length + 9).position(9), ByteBuffer.allocate(length)};
        try (Staging staging = new Staging(device.gpu, 1)) {
            staging.run(
                    DeviceKernels.bytes(PROGRAM), Regions.of(inputs), Regions.of(outputs), RangeFolds.begin(PROGRAM));
        }
        assertThat(outputs[0].position()).isEqualTo(9);
        assertThat(outputs[0]).isEqualTo(ByteBuffer.wrap(expected(bytes, length)[0]));
        assertThat(outputs[1]).isEqualTo(ByteBuffer.wrap(expected(bytes, length)[1]));
    }

    /** More threads than there are pool. */
    @Test
    void threadsShareAKernel() {
        Kernel kernel = new CudaKernel(device.gpu, new StagingPool(device.gpu, 1), PROGRAM, 0);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            byte[][] inputs = units(3, 3000 + i);
            CompletableFuture<Void> call = new CompletableFuture<>();
            calls.add(call);
            Thread thread = new Thread(() -> {
                try {
                    for (int j = 0; j < 5; j++) {
                        check(kernel, inputs);
                    }
                    call.complete(null);
                } catch (RuntimeException | AssertionError e) {
                    call.completeExceptionally(e);
                }
            });
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        calls.forEach(CompletableFuture::join);
    }

    @Test
    void aGeneratedKernelTakesOver() {
        CudaKernel kernel = new CudaKernel(Gpu.get(), new StagingPool(device.gpu, 1), PROGRAM, 3 * 1000);
        check(kernel, units(3, 999));
        assertThat(kernel.isGenerated()).as("before 3000 bytes were read").isFalse();
        check(kernel, units(3, 999));
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!kernel.isGenerated()) {
            assertThat(System.nanoTime()).as("a kernel is generated").isLessThan(deadline);
            Thread.onSpinWait();
        }
        check(kernel, units(3, 999));
    }

    /** Its bytes are right without the kernel that is to be generated. */
    @Test
    void aCallDoesNotFailForAKernelThatCannotBeGenerated() {
        AtomicLong begun = new AtomicLong();
        Executor full = task -> {
            begun.incrementAndGet();
            throw new RejectedExecutionException("full");
        };
        Executor withoutThreads = task -> {
            throw new OutOfMemoryError("unable to create native thread");
        };
        for (Executor background : List.of(full, withoutThreads)) {
            CudaKernel kernel = kernel(DeviceKernels.bytes(PROGRAM), background);
            for (int i = 0; i < 4; i++) {
                check(kernel, units(3, 999));
            }
        }
        assertThat(begun).as("it is begun again after as many bytes").hasValue(2);

        AtomicLong calls = new AtomicLong();
        DeviceKernel bytes = DeviceKernels.bytes(PROGRAM);
        DeviceKernel failing = (inputs, outputs, stream) -> {
            if (calls.incrementAndGet() == 2) {
                throw new OutOfMemoryError("the comparison after the first call");
            }
            bytes.apply(inputs, outputs, stream);
        };
        CudaKernel kernel =
                new CudaKernel(Gpu.get(), new StagingPool(device.gpu, 1), PROGRAM, 1, failing, Runnable::run);
        check(kernel, units(3, 999));
        assertThat(kernel.isGenerated()).isFalse();
    }

    private CudaKernel kernel(DeviceKernel first, Executor background) {
        return new CudaKernel(device.gpu, new StagingPool(device.gpu, 1), PROGRAM, 3 * 1000, first, background);
    }

    @Test
    void aTransferWithoutRoomKeepsNoMemory() {
        DeviceKernel kernel = DeviceKernels.bytes(PROGRAM);
        assertThat(CountedMemory.runShortOfMemory(() -> new Staging(device.gpu, 1).close()))
                .isEqualTo(4);
        CountedMemory.start();
        try {
            StagingPool pool = new StagingPool(device.gpu, 1);
            CountedMemory.allow(1);
            assertThatThrownBy(() -> run(pool, kernel)).isInstanceOf(GpuException.class);
            assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
        } finally {
            CountedMemory.stop();
        }
    }

    @Test
    void aTransferThatFailsKeepsNoMemory() {
        StagingPool pool = new StagingPool(device.gpu, 1);
        CountedMemory.start();
        try {
            DeviceKernel refusing = (inputs, outputs, stream) -> {
                throw new IllegalStateException("no launch");
            };
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> run(pool, refusing)).hasMessage("no launch");
            }
            assertThat(CountedMemory.used()).isEqualTo(Used.NOTHING);
        } finally {
            CountedMemory.stop();
        }
    }

    private void run(StagingPool pool, DeviceKernel kernel) {
        pool.run(kernel, Regions.of(units(3, 1000)), Regions.of(units(2, 1000)), RangeFolds.begin(PROGRAM));
    }
}
