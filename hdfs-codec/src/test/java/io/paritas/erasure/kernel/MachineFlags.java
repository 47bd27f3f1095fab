/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.List;

/** What a JVM of this version needs to call machine code. */
public final class MachineFlags {
    private static final int INCUBATED = 17;
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private MachineFlags() {}

    public static List<String> all() {
        return Runtime.version().feature() == INCUBATED
                ? List.of("--add-modules=jdk.incubator.foreign", NATIVE_ACCESS)
                : List.of(NATIVE_ACCESS);
    }

    /** Why a JVM without any of them has no machine code. */
    public static String refusal() {
        return Runtime.version().feature() == INCUBATED
                ? "this JVM runs without the module jdk.incubator.foreign; pass --add-modules jdk.incubator.foreign "
                        + NATIVE_ACCESS
                : "this JVM may not call native code; pass " + NATIVE_ACCESS;
    }

    /** What a program has printed but for the JVM's warning of incubator modules. */
    public static String withoutWarning(String output) {
        return output.replaceFirst("^WARNING: Using incubator modules: .*\\R", "");
    }
}
