/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where a training's results go, and what it says. */
@Command
final class Output {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Where models and results go.")
    private Path folder;

    @Option(names = "--force", description = "Replace what an earlier training left in DIR.")
    private boolean force;

    Path folder() {
        return folder;
    }

    PrintWriter writer() {
        return command.commandLine().getOut();
    }

    /** Refuses to replace results that nobody asked to replace. */
    void checkFree(String file) {
        if (Files.exists(folder.resolve(file)) && !force) {
            throw new ParameterException(
                    command.commandLine(),
                    "DIR has no " + file + " yet, or --force replaces it; " + folder + " has one");
        }
    }

    void print(String format, Object... values) {
        writer().println(String.format(Locale.ROOT, format, values));
        writer().flush();
    }

    void print(Map<String, Double> accuracy) {
        accuracy.forEach((what, value) -> print("  %-24s %.4f", what, value));
    }
}
