/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.KernelProviderContract;
import org.junit.jupiter.api.Tag;

/** With kernels generated for each program. */
@Tag("contract")
class CudaKernelProviderTest extends KernelProviderContract {
    @Override
    protected KernelProvider provider() {
        return new CudaKernelProvider(() -> 0);
    }
}
