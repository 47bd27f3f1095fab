/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** What the JVM's compilers are at: a large kernel takes C2 seconds, on a busy machine more, and crawls until then. */
final class CompilerQueue {
    private CompilerQueue() {}

    /** Whether a coder is being compiled, or waits for it. False where the JVM does not tell. */
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
