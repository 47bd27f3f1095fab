/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** The just-in-time compilers of this JVM. */
final class Compilers {
    private static final int C2_TIER = 4;

    private Compilers() {}

    /**
     * Whether this JVM compiles with C2, by its flags. A JVM without the module {@code jdk.management}, as jlink makes them, does
     * not tell its flags; there C2 is assumed unless everything is interpreted.
     */
    static boolean hasC2() {
        try {
            return Flags.haveC2();
        } catch (LinkageError e) {
            return !System.getProperty("java.vm.info", "").contains("interpreted");
        }
    }

    /** A class of its own, so that {@link Compilers} loads where the bean's class is missing. */
    private static final class Flags {
        static boolean haveC2() {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return vm != null
                    && isSet(vm, "UseCompiler", true)
                    && !isSet(vm, "UseJVMCICompiler", false)
                    && option(vm, "TieredStopAtLevel").map(Integer::parseInt).orElse(C2_TIER) >= C2_TIER;
        }

        private static boolean isSet(HotSpotDiagnosticMXBean vm, String flag, boolean ifUnknown) {
            return option(vm, flag).map(Boolean::parseBoolean).orElse(ifUnknown);
        }

        private static Optional<String> option(HotSpotDiagnosticMXBean vm, String flag) {
            try {
                return Optional.of(vm.getVMOption(flag).getValue());
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // a JVM that does not know the flag
            }
        }
    }
}
