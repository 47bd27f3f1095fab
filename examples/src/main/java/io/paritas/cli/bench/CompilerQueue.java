/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** The queue of the JVM's compilers. C2 takes seconds for a large kernel, which is slow until then. */
final class CompilerQueue {
    private CompilerQueue() {}

    /** Returns whether a coder is being compiled or waits for it; false where the JVM does not tell. */
    static boolean holdsCoders() {
        try {
            Object queue = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "compilerQueue",
                            new Object[0],
                            new String[0]);
            String methods = queue.toString();
            return methods.contains("io.paritas.erasure") || methods.contains("org.apache.hadoop.io.erasurecode");
        } catch (JMException e) {
            return false;
        }
    }
}
