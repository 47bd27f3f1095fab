/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** Calls of Linux for tests. */
public final class SystemCalls {
    private SystemCalls() {}

    /** Returns 0 if the option was set. */
    public static int prctl(int option, long value) {
        return (int) ExecutableMemory.invoke(
                Foreign.here()
                        .libraryFunction("prctl", int.class, int.class, long.class, long.class, long.class, long.class),
                option,
                value,
                0L,
                0L,
                0L);
    }
}
