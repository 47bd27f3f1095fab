/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("kernels")
class CudaGraphTest {
    private static final int COUNT = 64;

    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    /** The kernel that copies rows of 4 values with 2 channels innermost: done four times, it is the identity again. */
    private Launch copy(long from, long to) {
        return new Launch(
                device.gpu.module("network").function("arrange_single"),
                LaunchShape.forElements(COUNT, 32),
                List.of(new long[] {from, to, COUNT}, 4, 1, 2, 2));
    }

    private static byte[] numbered() {
        byte[] bytes = new byte[COUNT * Float.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void whatIsRecordedRunsWhenItIsReplayed() {
        byte[] first = numbered();
        try (DeviceMemory a = device.upload(first);
                DeviceMemory b = device.allocate(first.length)) {
            byte[] old = device.download(b.address(), first.length);
            Launch there = copy(a.address(), b.address());
            Launch back = copy(b.address(), a.address());
            try (CudaGraph graph = CudaGraph.record(List.of(there, back), device.stream)) {
                assertThat(device.download(b.address(), old.length))
                        .as("recording runs nothing")
                        .containsExactly(old);
                there.enqueue(device.stream);
                back.enqueue(device.stream);
                byte[] once = device.download(a.address(), first.length);
                device.upload(a.address(), first);
                graph.replay(device.stream);
                assertThat(device.download(a.address(), first.length)).containsExactly(once);
                try (CudaStream other = device.gpu.newStream()) {
                    device.upload(a.address(), first);
                    graph.replay(other);
                    other.synchronise();
                    assertThat(device.download(a.address(), first.length)).containsExactly(once);
                }
            }
        }
    }

    @Test
    void aStreamWorksAfterARecordingThatFailed() {
        try (DeviceMemory a = device.upload(numbered())) {
            Launch wrong = new Launch(
                    device.gpu.module("network").function("arrange_single"),
                    LaunchShape.forElements(COUNT, 32),
                    List.of("text"));
            assertThatThrownBy(() -> CudaGraph.record(List.of(copy(a.address(), a.address()), wrong), device.stream))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("argument 0 is text");
            assertThat(device.download(a.address(), COUNT * Float.BYTES)).containsExactly(numbered());
        }
    }

    /** For want of heap, say: launches allocate their arguments. */
    @Test
    void aStreamWorksAfterARecordingThatEndedInAnError() {
        Object unspeakable = new Object() {
            @Override
            public String toString() {
                throw new OutOfMemoryError("a test");
            }
        };
        try (DeviceMemory a = device.upload(numbered())) {
            Launch wrong = new Launch(
                    device.gpu.module("network").function("arrange_single"),
                    LaunchShape.forElements(COUNT, 32),
                    List.of(unspeakable));
            assertThatThrownBy(() -> CudaGraph.record(List.of(wrong), device.stream))
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessage("a test");
            assertThat(device.download(a.address(), COUNT * Float.BYTES)).containsExactly(numbered());
        }
    }
}
