/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.erasure.kernel.Processor;

/** What every measured number has to be printed with. */
public final class Machine {
    private Machine() {}

    /** One line: processor, cores, JDK. */
    public static String description() {
        return Processor.MODEL + ", " + Runtime.getRuntime().availableProcessors() + " cores, JDK " + Runtime.version()
                + " (" + System.getProperty("java.vm.name") + ")";
    }
}
