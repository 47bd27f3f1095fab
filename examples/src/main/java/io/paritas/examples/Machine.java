/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What every measured number has to be printed with. */
public final class Machine {
    private Machine() {}

    /** One line: processor, cores, JDK. */
    public static String description() {
        return processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores, JDK " + Runtime.version()
                + " (" + System.getProperty("java.vm.name") + ")";
    }

    private static String processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
