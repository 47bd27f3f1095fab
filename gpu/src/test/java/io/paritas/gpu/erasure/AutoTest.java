/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.gpu.Device;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The default on a machine with a GPU. */
@Tag("contract")
class AutoTest {
    @Test
    void triesTheGpuBesideTheCpu() {
        try (Device device = new Device()) {
            KernelChoice auto = KernelChoice.named("auto");
            assertThat(auto.provider().name()).isIn("machine", "vector", "plain");
            assertThat(auto.sentence()).contains(", and cuda on " + device.gpu + " where that turns out to be faster");
            ErasureCode code = ErasureCode.of(Generators.hdfsCauchy(new CodeParameters(3, 2)), auto.provider());
            byte[][] data = new byte[3][400_000];
            Arrays.stream(data).forEach(new Random(3)::nextBytes);
            byte[][] expected = new byte[2][400_000];
            ErasureCode.of(code.generator(), KernelChoice.named("plain").provider())
                    .encode(data, expected);
            for (int i = 0; i < 4; i++) { // both get their turn
                byte[][] parity = new byte[2][400_000];
                code.encode(data, parity);
                assertThat(parity).isDeepEqualTo(expected);
            }
        }
    }
}
