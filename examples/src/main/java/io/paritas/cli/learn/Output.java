/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.progress.Waiting;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.train.ClaimedFolder;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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

    Usage usage() {
        return new Usage(command);
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
     * Runs a training that has the folder for itself. Refuses to replace results, or other models of their names, without
     * {@code --force}, unless their training was interrupted while it wrote them.
     */
    void claim(TrainingFiles files, Work training) throws IOException {
        Results.requireUnread(folder, files.results(), command.commandLine());
        try (ClaimedFolder claimed = files.claim(folder)) {
            Optional<String> existing = force ? Optional.empty() : files.existing(folder);
            if (existing.isPresent()) {
                throw new ParameterException(command.commandLine(), Results.taken(existing.get(), folder));
            }
            training.run();
        }
    }

    /** What may take minutes. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /** Does what may take minutes, and says so. */
    <T> T saying(String what, Step<T> step) throws IOException {
        try (Waiting waiting = Waiting.on(command.commandLine().getErr())) {
            waiting.begin(what);
            return step.run();
        }
    }

    /** Trains, and shows the progress until it has ended. */
    <T> T training(Function<Progress, T> training) {
        try (TrainingProgress progress = new TrainingProgress(writer())) {
            return training.apply(progress);
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
