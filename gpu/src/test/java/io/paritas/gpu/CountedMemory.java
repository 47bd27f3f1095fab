/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;

/** The driver's memory with a count of what is not freed, while a test counts. It runs out of memory when the test wants. */
public final class CountedMemory implements MemorySource {
    private static final AtomicLong DEVICE = new AtomicLong();
    private static final AtomicLong PINNED = new AtomicLong();

    private static final AtomicLong LARGEST = new AtomicLong();

    private static final String SHORT = " are more than a test allows";

    /** How many more allocations succeed. */
    private static final AtomicLong ALLOWED = new AtomicLong();

    private static volatile boolean counting;

    private final MemorySource driver = new DriverMemory();

    /** Bytes that are in use. */
    public record Used(long device, long pinned) {
        public static final Used NOTHING = new Used(0, 0);
    }

    private record Block(DeviceMemory memory) implements DeviceMemory {
        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long size() {
            return memory.size();
        }

        @Override
        public void close() {
            memory.close();
            DEVICE.addAndGet(-memory.size());
        }
    }

    /** Counts from zero. */
    public static void start() {
        DEVICE.set(0);
        PINNED.set(0);
        LARGEST.set(0);
        ALLOWED.set(Long.MAX_VALUE);
        counting = true;
    }

    /** After so many more allocations there is no memory left, neither the GPU's nor page-locked one. */
    public static void allow(long allocations) {
        ALLOWED.set(allocations);
    }

    /**
     * Does work again and again: without any memory, with room for one allocation, for two, until it succeeds. Each time, nothing of what
     * it took may be left.
     *
     * @param work closes what it has made
     * @return how often it failed
     */
    public static int runShortOfMemory(Runnable work) {
        for (int allowed = 0; ; allowed++) {
            start();
            allow(allowed);
            try {
                work.run();
                assertThat(used()).as("after %d failures", allowed).isEqualTo(Used.NOTHING);
                return allowed;
            } catch (RuntimeException e) {
                assertThat(e).hasStackTraceContaining(SHORT);
                assertThat(used()).as("%d allocations, then none", allowed).isEqualTo(Used.NOTHING);
            } finally {
                stop();
            }
        }
    }

    /** The most bytes that were asked for at once, whether there was room or not. */
    public static long largest() {
        return LARGEST.get();
    }

    private static void take(long bytes) {
        LARGEST.accumulateAndGet(bytes, Math::max);
        if (ALLOWED.getAndDecrement() <= 0) {
            throw GpuException.outOfMemory(bytes + " bytes" + SHORT, null);
        }
    }

    public static void stop() {
        counting = false;
    }

    public static Used used() {
        return new Used(DEVICE.get(), PINNED.get());
    }

    @Override
    public boolean isInCharge() {
        return counting;
    }

    @Override
    public String name() {
        return "a test";
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        take(bytes);
        DeviceMemory memory = driver.allocate(bytes);
        DEVICE.addAndGet(bytes);
        return new Block(memory);
    }

    @Override
    public PinnedMemory allocatePinned(int bytes) {
        take(bytes);
        PinnedMemory memory = driver.allocatePinned(bytes);
        PINNED.addAndGet(bytes);
        return new PinnedMemory(memory.buffer(), () -> {
            memory.close();
            PINNED.addAndGet(-bytes);
        });
    }
}
