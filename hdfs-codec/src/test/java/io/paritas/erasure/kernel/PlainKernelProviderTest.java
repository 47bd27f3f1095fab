/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

class PlainKernelProviderTest extends KernelProviderContract {
    @Override
    protected KernelProvider provider() {
        return new PlainKernelProvider();
    }
}
