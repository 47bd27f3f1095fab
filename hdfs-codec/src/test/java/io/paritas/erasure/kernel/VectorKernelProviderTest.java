/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.VectorKernelProvider.Jvm;
import org.junit.jupiter.api.Test;

class VectorKernelProviderTest extends KernelProviderContract {
    @Override
    protected KernelProvider provider() {
        return new VectorKernelProvider();
    }

    @Test
    void runsWhereModuleCompilerAndVectorsAreThere() {
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 128))).isEmpty();
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 512))).isEmpty();
    }

    @Test
    void saysWhatIsMissing() {
        assertThat(VectorKernelProvider.refusal(new Jvm(false, true, 0)))
                .contains(
                        "this JVM runs without the module jdk.incubator.vector; pass --add-modules jdk.incubator.vector");
        assertThat(VectorKernelProvider.refusal(new Jvm(true, false, 256)).orElseThrow())
                .startsWith("this JVM runs without the C2 compiler");
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 64)))
                .contains("the widest vector of this machine has 64 bits, fewer than 128");
    }
}
