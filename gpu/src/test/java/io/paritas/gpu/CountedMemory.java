/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.concurrent.atomic.AtomicLong;

/** The driver's memory with a count of what is not freed, while a test counts. */
public final class CountedMemory implements MemorySource {
    private static final AtomicLong DEVICE = new AtomicLong();
    private static final AtomicLong PINNED = new AtomicLong();

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
        counting = true;
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
        DeviceMemory memory = driver.allocate(bytes);
        DEVICE.addAndGet(bytes);
        return new Block(memory);
    }

    @Override
    public PinnedMemory allocatePinned(int bytes) {
        PinnedMemory memory = driver.allocatePinned(bytes);
        PINNED.addAndGet(bytes);
        return new PinnedMemory(memory.buffer(), () -> {
            memory.close();
            PINNED.addAndGet(-bytes);
        });
    }
}
