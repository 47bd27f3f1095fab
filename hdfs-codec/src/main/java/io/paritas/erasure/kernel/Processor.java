/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor of this machine. */
public final class Processor {
    /** The model, as Linux names it; elsewhere the architecture. Read once. */
    public static final String MODEL = model();

    private Processor() {}

    private static String model() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch"); // no Linux
        }
    }
}
