/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.function.UnaryOperator;

/** The just-in-time compilers of this JVM. */
final class Compilers {
    private Compilers() {}

    /**
     * Whether this JVM compiles with C2, by its description of itself. It names what turns C2 off: {@code -Xint}, {@code
     * -XX:TieredStopAtLevel=1}, {@code -XX:CompilationMode=quick-only}, and builds in which Graal takes its place. The JMX bean that has all
     * flags would cost the start of each JVM 20 ms, and there are JVMs without it.
     */
    static boolean hasC2() {
        return hasC2(System::getProperty);
    }

    /** @param properties of a JVM */
    static boolean hasC2(UnaryOperator<String> properties) {
        String mode = String.valueOf(properties.apply("java.vm.info"));
        String build = String.valueOf(properties.apply("java.vm.version"));
        return !mode.contains("interpreted") && !mode.contains("emulated-client") && !build.contains("jvmci");
    }
}
