/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Whether results are checked against the folded equations. */
public enum Check {
    FOLD,
    NONE;

    /** The choice of this JVM, by the system property {@code io.paritas.kernel.check}. */
    public static Check current() {
        return KernelSettings.CHECK.get();
    }
}
