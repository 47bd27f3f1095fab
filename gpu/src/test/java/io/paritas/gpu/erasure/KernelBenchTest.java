/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.Device;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The benchmark runs, so that it does when there is a GPU; it compares the bytes by itself. */
class KernelBenchTest {
    @Test
    void runs() {
        try (Device device = new Device()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            KernelBench.measure(device, 4, 2, 8 << 10, new PrintStream(out, true, StandardCharsets.UTF_8));
            assertThat(out.toString(StandardCharsets.UTF_8).lines().skip(1))
                    .hasSize(13)
                    .first()
                    .isEqualTo("(4,2), units of 8192 bytes");
        }
    }
}
