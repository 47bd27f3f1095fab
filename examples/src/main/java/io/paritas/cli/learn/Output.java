/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import java.io.IOException;
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

/** The folder of a training's results, and its output. */
@Command
final class Output {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "The directory for models and results.")
    private Path folder;

    @Option(names = "--force", description = "Replace the results of an earlier training in DIR.")
    private boolean force;

    Path folder() {
        return folder;
    }

    PrintWriter writer() {
        return command.commandLine().getOut();
    }

    /** A training that writes its results. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /**
     * Runs a training that has the folder for itself. Refuses to replace results without {@code --force}, unless their training was
     * interrupted while it wrote them.
     *
     * @param file first one of the results
     * @param checkpoint name of the training's checkpoint
     */
    void claim(String file, String checkpoint, Work training) throws IOException {
        if (Files.exists(folder.resolve(file)) && !force && !Files.exists(folder.resolve(checkpoint))) {
            throw new ParameterException(
                    command.commandLine(),
                    "DIR has no " + file + " yet, or --force replaces it; " + folder + " has one");
        }
        try (ClaimedFolder claimed = ClaimedFolder.of(folder, checkpoint)) {
            training.run();
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
