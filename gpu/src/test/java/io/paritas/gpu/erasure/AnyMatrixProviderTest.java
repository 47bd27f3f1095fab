/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.KernelProviderContract;
import org.junit.jupiter.api.Tag;

/** With the kernel for any matrix only. */
@Tag("contract")
class AnyMatrixProviderTest extends KernelProviderContract {
    @Override
    protected KernelProvider provider() {
        return new CudaKernelProvider(() -> Long.MAX_VALUE);
    }
}
