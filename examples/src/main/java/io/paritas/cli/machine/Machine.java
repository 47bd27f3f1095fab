/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.machine;

import io.paritas.erasure.kernel.Processor;

/** The description of this machine, to print with every measured number. */
public final class Machine {
    private Machine() {}

    /** Returns one line with processor, cores and JDK. */
    public static String description() {
        return Processor.MODEL + ", " + Runtime.getRuntime().availableProcessors() + " cores, JDK " + Runtime.version()
                + " (" + System.getProperty("java.vm.name") + ")";
    }
}
