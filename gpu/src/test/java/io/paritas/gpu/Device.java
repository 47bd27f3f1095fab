/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What kernel tests run on: the emulator, or a GPU with {@code -Dgpu.require=true}, which makes the emulator a failure. With
 * memory that is filled and read in one call each.
 */
public final class Device implements AutoCloseable {
    private static final byte OLD = (byte) 0xEE;

    private static boolean announced;

    public final Gpu gpu;
    public final CudaStream stream;

    /** Properties as they were before they were set here. */
    private final Map<String, Optional<String>> before = new HashMap<>();

    public Device() {
        assertThat(Gpu.unavailable())
                .as("the tests' GPU; without one they run on the emulator that gpu/kernels.sh builds")
                .isEmpty();
        gpu = Gpu.get();
        announce(gpu);
        if (Boolean.getBoolean("gpu.require")) {
            assertThat(isEmulated())
                    .as("gpu.require asks for a GPU; this is %s", gpu)
                    .isFalse();
        }
        gpu.bind();
        stream = gpu.newStream();
    }

    private static synchronized void announce(Gpu gpu) {
        if (!announced) {
            announced = true;
            System.out.println(
                    gpu.name().contains("emulates")
                            ? "NO GPU RAN: the kernels of these tests were emulated on the CPU"
                            : "The kernels of these tests ran on " + gpu);
        }
    }

    /** Whether this is the emulator, which is slow. */
    public boolean isEmulated() {
        return gpu.name().contains("emulates");
    }

    /** Memory with these bytes in it. */
    public DeviceMemory upload(byte[] bytes) {
        DeviceMemory memory = DeviceMemory.allocate(Math.max(1, bytes.length));
        upload(memory.address(), bytes);
        return memory;
    }

    /** Copies bytes to a place on the GPU. */
    public void upload(long address, byte[] bytes) {
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        stream.copyToDevice(address, direct);
        stream.synchronise();
    }

    /** Memory with these numbers in it. */
    public DeviceMemory upload(int[] words) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * words.length).order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().put(words);
        return upload(bytes.array());
    }

    /** Memory whose bytes are 0xEE. */
    public DeviceMemory allocate(long bytes) {
        DeviceMemory memory = DeviceMemory.allocate(bytes);
        stream.fill(memory.address(), OLD, bytes);
        return memory;
    }

    /** The bytes at a place on the GPU, when everything before is done. */
    public byte[] download(long address, int size) {
        ByteBuffer direct = ByteBuffer.allocateDirect(size);
        stream.copyToHost(direct, address);
        stream.synchronise();
        byte[] bytes = new byte[size];
        direct.get(bytes);
        return bytes;
    }

    /** Sets a system property until this is closed. */
    public void set(String property, String value) {
        before.putIfAbsent(property, Optional.ofNullable(System.getProperty(property)));
        System.setProperty(property, value);
    }

    @Override
    public void close() {
        before.forEach((property, value) ->
                value.ifPresentOrElse(old -> System.setProperty(property, old), () -> System.clearProperty(property)));
        stream.close();
    }
}
