/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.screen;

import io.paritas.cli.machine.Machine;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.inference.screen.exercise.MachineScreen;
import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.screen.exercise.Processors;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Computes what is known on every processor of this machine, and reports those that are wrong. */
@Command(
        name = "screen",
        header = "Looks for processors of this machine that compute wrong values.",
        description = {
            "",
            "Encodes and decodes, multiplies matrices and computes checksums, on all processors at once, and compares with"
                    + " results that were computed in another way.",
            ""
        },
        exitCodeOnExecutionException = ScreenCommand.UNKNOWN,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no processor was wrong",
            "1:a processor was wrong",
            "2:wrong usage",
            "3:it could not find out, or not write what it found"
        },
        subcommands = ScreenReportCommand.class,
        footer = {
            "",
            "Faults come and go: run it for hours, and on a hot machine. Nothing found is no proof.",
            "",
            "Examples:",
            "  paritas screen --time 3600 --json screen.json",
            "  paritas screen report findings.jsonl"
        })
public final class ScreenCommand implements Callable<Integer> {
    /** The exit status where it is not known whether a processor is wrong. */
    static final int UNKNOWN = 3;

    private static final int REPORT_MILLIS = 10_000;
    private static final long LONGEST = Duration.ofDays(365).toSeconds();

    @Option(
            names = "--time",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to look. Default: ${DEFAULT-VALUE}")
    private long seconds;

    @Option(
            names = "--processors",
            paramLabel = "LIST",
            description = "Numbers of processors, such as 0-3,8. Default: all that this program may use")
    private String processors;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the result to this file.")
    private ResultFile json;

    @Mixin
    @SuppressWarnings("UnusedVariable") // its option is looked at before this command runs
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Integer> chosen = chosen();
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description());
        out.println("Exercising " + chosen.size() + " processor(s) for " + seconds + " s");
        out.flush();
        List<ProcessorResult> results = run(chosen);
        results.forEach(result -> out.print(ScreenText.of(result)));
        long wrong = results.stream().filter(result -> result.wrong() > 0).count();
        out.println(
                wrong == 0
                        ? "No processor was wrong."
                        : wrong + " processor(s) computed wrong values: take this machine out of service.");
        out.flush();
        write(results, wrong);
        return wrong == 0 ? 0 : 1;
    }

    /** A full disk changes nothing about processors that were wrong. */
    private void write(List<ProcessorResult> results, long wrong) throws IOException {
        if (json == null) {
            return;
        }
        try {
            json.write(ScreenJson.of(results));
        } catch (IOException e) {
            if (wrong == 0) {
                throw e;
            }
            tell("--json could not be written: " + e.getMessage());
        }
    }

    private List<Integer> chosen() {
        if (seconds < 1 || seconds > LONGEST) {
            throw new ParameterException(
                    spec.commandLine(), "--time must be 1 to " + LONGEST + " seconds, a year, got " + seconds);
        }
        List<Integer> allowed = Processors.allowed();
        try {
            List<Integer> chosen = processors == null ? allowed : Processors.list(processors);
            if (chosen.isEmpty() || !allowed.containsAll(chosen)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--processors must be among those that this program may use, " + allowed + ", got " + chosen);
            }
            return chosen;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--processors: " + e.getMessage());
        }
    }

    private List<ProcessorResult> run(List<Integer> chosen) throws InterruptedException {
        AtomicLong wrong = new AtomicLong();
        Set<Integer> told = ConcurrentHashMap.newKeySet();
        Thread progress = new Thread(() -> report(wrong), "paritas-screen-progress");
        progress.setDaemon(true);
        progress.start();
        try {
            return new MachineScreen().run(chosen, Duration.ofSeconds(seconds), (result, processor) -> {
                wrong.incrementAndGet();
                if (told.add(processor)) { // at once, because a machine with such a processor may not see the end
                    tell(ScreenText.first(result, processor));
                }
            });
        } finally {
            progress.interrupt();
        }
    }

    private void tell(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void report(AtomicLong wrong) {
        long start = System.nanoTime();
        try {
            while (true) {
                Thread.sleep(REPORT_MILLIS);
                tell("  " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s, " + wrong
                        + " wrong results");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it is over
        }
    }
}
