/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RacingKernelTest {
    private static final Regions LARGE = Regions.of(new byte[1 << 20]);
    private static final Regions SMALL = Regions.of(new byte[(1 << 20) - 1]);

    private final AtomicLong clock = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();
    private final AtomicInteger cpuCalls = new AtomicInteger();
    private final AtomicInteger acceleratorCalls = new AtomicInteger();

    private Kernel taking(long nanos, AtomicInteger calls) {
        return (inputs, outputs) -> {
            calls.incrementAndGet();
            clock.addAndGet(nanos);
        };
    }

    private RacingKernel racing(long cpuNanos, long acceleratorNanos) {
        return new RacingKernel(
                taking(cpuNanos, cpuCalls), () -> taking(acceleratorNanos, acceleratorCalls), failed, clock::get);
    }

    private static void call(Kernel kernel, int times, Regions regions) {
        for (int i = 0; i < times; i++) {
            kernel.apply(regions, regions);
        }
    }

    @Test
    void theFasterOneServes() {
        call(racing(1000, 10), 6 + 64, LARGE);
        assertThat(cpuCalls).as("three turns, and one reconsidered").hasValue(3 + 1);
        assertThat(acceleratorCalls).hasValue(3 + 63);
    }

    @Test
    void theCpuServesIfItIsFaster() {
        call(racing(10, 1000), 6 + 64, LARGE);
        assertThat(cpuCalls).hasValue(3 + 63);
        assertThat(acceleratorCalls).hasValue(3 + 1);
    }

    @Test
    void smallCallsAreTheCpus() {
        RacingKernel kernel = new RacingKernel(
                taking(1, cpuCalls),
                () -> {
                    throw new AssertionError("not even compiled");
                },
                failed);
        call(kernel, 100, SMALL);
        assertThat(cpuCalls).hasValue(100);
    }

    @Test
    void sizesAreMeasuredApart() {
        AtomicInteger size = new AtomicInteger();
        // Copies cost the same for each call: only large ones pay.
        Kernel accelerator = (inputs, outputs) -> {
            acceleratorCalls.incrementAndGet();
            clock.addAndGet(5_000_000);
            size.set(inputs.length());
        };
        Kernel cpu = (inputs, outputs) -> clock.addAndGet(inputs.length());
        RacingKernel kernel = new RacingKernel(cpu, () -> accelerator, failed, clock::get);
        call(kernel, 60, LARGE);
        assertThat(acceleratorCalls).hasValue(3);
        call(kernel, 60, Regions.of(new byte[8 << 20]));
        assertThat(acceleratorCalls).hasValue(3 + 3 + 54);
        assertThat(size).hasValue(8 << 20);
    }

    @Test
    void aCpuThatWarmsUpIsTriedAgain() {
        AtomicLong cpuNanos = new AtomicLong(1000);
        Kernel cpu = (inputs, outputs) -> clock.addAndGet(cpuNanos.get());
        RacingKernel kernel = new RacingKernel(cpu, () -> taking(100, acceleratorCalls), failed, clock::get);
        call(kernel, 10, LARGE);
        cpuNanos.set(10);
        call(kernel, 64, LARGE);
        int before = acceleratorCalls.get();
        call(kernel, 50, LARGE);
        assertThat(acceleratorCalls).as("the CPU serves now").hasValue(before);
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IllegalStateException("the bus is full"),
                new UnsatisfiedLinkError("no driver"),
                new OutOfMemoryError("no direct memory"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anAcceleratorThatFailsIsNotUsedAgain(Throwable failure) {
        RacingKernel kernel = new RacingKernel(
                taking(1000, cpuCalls),
                () -> (inputs, outputs) -> {
                    acceleratorCalls.incrementAndGet();
                    throw RacingKernelTest.<RuntimeException>unchecked(failure);
                },
                failed);
        call(kernel, 100, LARGE);
        assertThat(acceleratorCalls).hasValue(1);
        assertThat(cpuCalls).as("every call is answered").hasValue(100);
    }

    @Test
    void theAcceleratorGoesOnAfterAWrongCall() {
        RacingKernel kernel = racing(1000, 10);
        call(kernel, 6, LARGE);
        ByteBuffer readOnly = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

        assertThatExceptionOfType(ReadOnlyBufferException.class)
                .isThrownBy(() -> kernel.apply(LARGE, Regions.of(readOnly)));

        assertThat(failed).isFalse();
    }

    /** One that fails each time. */
    private record Broken(AtomicInteger compiled) implements KernelProvider {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public Optional<String> unavailable() {
            return Optional.empty();
        }

        @Override
        public String description() {
            return "test";
        }

        @Override
        public Kernel compile(Program program) {
            compiled.incrementAndGet();
            throw new IllegalStateException("the GPU is lost");
        }
    }

    @Test
    void anAcceleratorThatFailsForOneProgramIsNotTriedForOthers() {
        Broken broken = new Broken(new AtomicInteger());
        KernelProvider both = new AcceleratedKernelProvider(new PlainKernelProvider(), broken);
        Regions outputs = Regions.of(new byte[1 << 20]);
        for (int coefficient = 1; coefficient < 4; coefficient++) {
            Kernel kernel = both.compile(Program.product(new int[][] {{coefficient}}));
            for (int i = 0; i < 6; i++) {
                kernel.apply(LARGE, outputs);
            }
        }
        assertThat(broken.compiled).hasValue(1);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable failure) throws E {
        throw (E) failure;
    }
}
