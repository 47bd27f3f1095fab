/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The processor of this machine. */
public final class Processor {
    private static final List<String> INFO = info();

    /** The model, as Linux names it; elsewhere the architecture. Read once. */
    public static final String MODEL = model(INFO);

    /** The model and a hash of what it can do: virtual machines give processors with other vectors one name. */
    public static final String KIND = kind(INFO);

    private Processor() {}

    private static List<String> info() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo"));
        } catch (IOException e) {
            return List.of(); // no Linux
        }
    }

    private static String model(List<String> info) {
        return value(info, "model name").orElse(System.getProperty("os.arch"));
    }

    static String kind(List<String> info) {
        return value(info, "flags")
                .or(() -> value(info, "Features").map(features -> features + part(info)))
                .map(flags -> String.format(Locale.ROOT, "%s (%08x)", model(info), flags.hashCode()))
                .orElse(model(info));
    }

    /** What AArch64 has in place of a name. */
    private static String part(List<String> info) {
        return value(info, "CPU implementer").orElse("")
                + value(info, "CPU part").orElse("");
    }

    /** Of the first processor. */
    private static Optional<String> value(List<String> info, String name) {
        return info.stream().filter(line -> line.startsWith(name)).findFirst().map(line -> line.substring(
                        line.indexOf(':') + 1)
                .trim());
    }
}
