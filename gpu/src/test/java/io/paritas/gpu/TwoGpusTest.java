/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.erasure.DeviceKernel;
import io.paritas.gpu.erasure.DeviceKernels;
import io.paritas.gpu.erasure.DeviceRegions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with two GPUs, in a JVM of its own: the second one is another library's, as cuDF's, or the caller's. */
@Tag("machine")
class TwoGpusTest {
    @TempDir
    private Path temporary;

    /** Works on the first GPU in threads that are bound to the second one, and on the second one where it is asked for. */
    public static final class Work {
        private static final int LENGTH = 5000;
        private static final Program PROGRAM =
                Program.product(Generators.hdfsCauchy(new CodeParameters(3, 2)).toRows());

        private static final byte[][] DATA = new byte[3][LENGTH];

        public static void main(String[] arguments) {
            Arrays.stream(DATA).forEach(new Random(3)::nextBytes);
            assertThat(Gpu.noneAvailable()).isEmpty();
            CompletableFuture.runAsync(() -> {
                        CudaDriver.setCurrentContext(CudaDriver.retainPrimaryContext(1)); // as another library does
                        stays("code", Work::code);
                        stays(
                                "bytes",
                                () -> System.out.println(
                                        "some are free: " + (Gpu.get().freeBytes() > 0)));
                        stays("failure", Work::fail);
                    })
                    .join();
            CompletableFuture.runAsync(() -> {
                        Gpu.get(1).bind();
                        stays("bound", Work::code);
                        System.out.println("bound to " + Gpu.current().ordinal());
                        onDevice("generated", DeviceKernels::bytes);
                        onDevice("any matrix", DeviceKernels::bytesOfAnyMatrix);
                    })
                    .join();
        }

        private static void stays(String what, Runnable work) {
            long before = CudaDriver.currentContext();
            work.run();
            System.out.println(what + " leaves the thread as it was: " + (CudaDriver.currentContext() == before));
        }

        private static byte[][] code(String kernel) {
            byte[][] parity = new byte[2][LENGTH];
            KernelChoice.named(kernel).provider().compile(PROGRAM).apply(Regions.of(DATA), Regions.of(parity));
            return parity;
        }

        private static void code() {
            System.out.println("coded: " + Arrays.deepEquals(code("cuda"), code("plain")));
        }

        private static void fail() {
            try {
                Gpu.get().whileBound((Runnable) () -> {
                    throw new IllegalArgumentException("not today");
                });
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }

        /** Codes data of the second GPU there. */
        private static void onDevice(String what, Function<Program, DeviceKernel> kernels) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(5 * LENGTH);
            Arrays.stream(DATA).forEach(bytes::put);
            try (DeviceMemory memory = DeviceMemory.allocate(5 * LENGTH);
                    CudaStream stream = Gpu.current().newStream()) {
                stream.copyToDevice(memory.address(), bytes.flip());
                kernels.apply(PROGRAM)
                        .apply(
                                DeviceRegions.of(LENGTH, memory.address(), LENGTH, 3),
                                DeviceRegions.of(LENGTH, memory.address() + 3 * LENGTH, LENGTH, 2),
                                stream);
                stream.copyToHost(bytes.clear(), memory.address());
                stream.synchronise();
            }
            byte[][] parity = new byte[2][LENGTH];
            bytes.position(3 * LENGTH).get(parity[0]).get(parity[1]);
            System.out.println(what + ": " + Arrays.deepEquals(parity, code("plain")) + " on "
                    + Gpu.current().ordinal());
        }
    }

    @Test
    void threadsStayBoundToTheGpuOfOthers() {
        for (String generated : List.of("0", "64")) {
            List<String> output = OtherJvm.run(
                    Work.class,
                    OtherJvm.HERE,
                    temporary,
                    Map.of("EMU_DEVICES", "2"),
                    "-Dio.paritas.gpu.generate=" + generated);
            assertThat(output)
                    .containsSubsequence(
                            "coded: true",
                            "code leaves the thread as it was: true",
                            "some are free: true",
                            "bytes leaves the thread as it was: true",
                            "not today",
                            "failure leaves the thread as it was: true",
                            "coded: true",
                            "bound leaves the thread as it was: true",
                            "bound to 1",
                            "generated: true on 1",
                            "any matrix: true on 1");
        }
    }
}
