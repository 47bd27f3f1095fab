/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.cli.machine.Machine;
import io.paritas.cli.result.ResultFolder;
import io.paritas.cli.result.Results;
import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints a table: code × operation × coder, in GB/s, and the ratios to Hadoop's {@code rs_java} and to ISA-L. */
@Command(
        name = "bench",
        header = "Measures coders on this machine.",
        description = {
            "",
            "Measures Hadoop's rs_java, Intel's ISA-L where gcc and libisal-dev are installed, and our coder on each kernel, for"
                    + " codec rs and for our own codec.",
            ""
        },
        footer = {
            "",
            "Coders: rs_java, isa-l, plain, vector and machine, vector-direct and machine-direct (on direct buffers), paritas"
                    + " and paritas-machine (our own codec, where it has the shape), lrc (our local reconstruction code of two groups, with as many parity units"
                    + " in all, where there is one), strips-W, gemm-W and packets-W (our codes on W = 1 to 8 strips,"
                    + " as programs, as products of bits, and interleaved in packets, where k + r <= 2^W), copy (no coder: it copies"
                    + " the data).",
            "",
            "Examples:",
            "  paritas bench --code 6-3 --unit 128k",
            "  paritas bench --threads 1,all --coders isa-l,vector --report /tmp/report",
            "  paritas bench --code 6-4,12-4 --coders isa-l,machine,lrc",
            "  paritas bench --code 10-4 --unit 1024000 --coders isa-l,strips-8,gemm-8,packets-8",
            "  paritas bench --cold"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int MOST_SECONDS = 3600;

    @Option(
            names = "--code",
            paramLabel = "K-R",
            split = ",",
            defaultValue = "3-2,6-3,10-4",
            description = "Codes to measure. Default: ${DEFAULT-VALUE}")
    private List<CodeParameters> codes;

    @Option(
            names = "--unit",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "4k,128k,1m",
            converter = UnitLength.class,
            description = "Lengths of a unit. Default: ${DEFAULT-VALUE}")
    private List<Integer> unitLengths;

    @Option(
            names = "--coders",
            paramLabel = "NAME",
            split = ",",
            defaultValue = Coders.DEFAULT,
            converter = CoderName.class,
            description = "Coders to measure; see below. Default: ${DEFAULT-VALUE}")
    private List<Coder> coders;

    @Option(
            names = "--isal",
            paramLabel = "DIR",
            description = "Where ISA-L is installed, with the folders include and lib. Default: where pkg-config or gcc"
                    + " finds it")
    private Optional<Path> isal;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            defaultValue = "1",
            converter = ThreadCount.class,
            description = "Threads, each with a stripe of its own; several numbers are measured one after"
                    + " the other; all is one for each processor. Default: ${DEFAULT-VALUE}")
    private List<Integer> threads;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "0.5",
            description = "Time to measure each figure, after a warm-up of the same length and until C2 has finished."
                    + " Below 0.5 it may not even have begun. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Also write bench.md and plots to DIR, with published figures.")
    private Optional<Path> report;

    @Option(
            names = "--cold",
            description = "Measure only the first 64 MiB that a new JVM encodes through HDFS's interface.")
    private boolean cold;

    @Mixin
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        checkSeconds();
        if (cold) {
            checkColdAlone();
        }
        if (report.isPresent()) {
            ResultFolder.create(report.get(), spec.commandLine());
            results.requireFree(report.get(), Report.PAGE);
            results.requireFree(report.get(), Plots.names(threads, unitLengths, codes));
        }
        out.println(Machine.description());
        isal.ifPresent(this::findIsal);
        if (cold) {
            printUnknown(out, List.of(Coders.named(Coders.RS_JAVA)));
            new ColdStart(codes, unitLengths).print(out);
            return 0;
        }
        List<Coder> chosen = available(out);
        List<RaceResult> measured = new ArrayList<>();
        for (int count : threads) {
            for (int unitLength : unitLengths) {
                printHeader(out, count, unitLength);
                for (CodeParameters code : codes) {
                    measured.addAll(measure(out, count, new Shape(code, unitLength), chosen));
                }
            }
        }
        if (report.isPresent()) {
            Conditions conditions =
                    Conditions.of(spec.root().commandLine().getParseResult().originalArgs());
            Path written = new Report(conditions, measured).writeTo(report.get());
            out.println(System.lineSeparator() + "report: " + written);
        }
        return 0;
    }

    private void checkSeconds() {
        if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--seconds must be a number above 0, at most " + MOST_SECONDS + ", got " + seconds);
        }
    }

    private void findIsal(Path directory) {
        if (!Files.isRegularFile(directory.resolve("include/isa-l.h"))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--isal must name a folder with include/isa-l.h in it, got " + directory
                            + ": install ISA-L there with" + " make install prefix=" + directory);
        }
        Isal.installedIn(directory);
    }

    private void checkColdAlone() {
        for (String option : List.of("--report", "--coders", "--isal", "--threads", "--seconds")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new ParameterException(
                        spec.commandLine(),
                        option + " is about the table, which --cold does not measure: name one of them");
            }
        }
    }

    /** Names the codes that coders do not have. */
    private void printUnknown(PrintWriter out, List<Coder> chosen) {
        for (Coder coder : chosen) {
            codes.stream()
                    .filter(code -> !coder.knows(code))
                    .forEach(code -> out.println(coder.name() + " has no code " + code));
        }
    }

    /** The coders that can run here and have one of the codes; the others are named, with the reason. */
    private List<Coder> available(PrintWriter out) throws IOException {
        List<Coder> chosen = new ArrayList<>();
        for (Coder coder : coders) {
            Optional<String> missing = coder.missing().get();
            missing.ifPresent(reason -> out.println(coder.name() + " is left out: " + reason));
            if (missing.isEmpty()) {
                chosen.add(coder);
            }
        }
        printUnknown(out, chosen);
        chosen.removeIf(coder -> codes.stream().noneMatch(coder::knows));
        if (chosen.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "a coder must run here and have one of the codes " + joined(codes, CodeParameters::toString)
                            + ", got " + joined(coders, Coder::name) + ": name others with --coders, or other codes");
        }
        if (report.isPresent() && !chosen.contains(Coders.COPY)) {
            chosen.add(Coders.COPY);
        }
        if (chosen.stream().anyMatch(coder -> coder.name().equals(Coders.ISAL))) {
            out.println(Isal.description());
        }
        int figures = threads.size() * unitLengths.size() * codes.size() * Operation.values().length * chosen.size();
        out.printf(
                Locale.ROOT,
                "%d figures, about %d s. GB/s (10^9) of data; medians of turns of 10 ms, and of the ratios of neighbouring"
                        + " turns.%n",
                figures,
                Math.round(3 * seconds * figures));
        return chosen;
    }

    private static <T> String joined(List<T> values, Function<T, String> name) {
        return values.stream().map(name).collect(Collectors.joining(", "));
    }

    private static void printHeader(PrintWriter out, int threads, int unitLength) {
        out.printf(
                Locale.ROOT,
                "%n%s, units of %,d bytes%n%-8s %-20s %-14s %8s %10s %8s%n",
                RaceResult.shown(threads),
                unitLength,
                "code",
                "operation",
                "coder",
                "GB/s",
                "x rs_java",
                "x isa-l");
    }

    private List<RaceResult> measure(PrintWriter out, int count, Shape shape, List<Coder> chosen) throws IOException {
        List<RaceResult> measured = new ArrayList<>();
        for (Operation operation : Operation.values()) {
            List<Coder> having = chosen.stream()
                    .filter(coder -> coder.has().test(shape.code(), operation))
                    .toList();
            try (Race race = new Race(shape, having, count)) {
                Speeds speeds = race.run(operation, Duration.ofMillis(Math.round(1000 * seconds)));
                measured.add(new RaceResult(count, shape, operation, speeds));
                speeds.coders().forEach(coder -> printRow(out, shape, operation, coder, speeds));
                out.flush();
            }
        }
        return measured;
    }

    private static void printRow(PrintWriter out, Shape shape, Operation operation, String coder, Speeds speeds) {
        out.printf(
                Locale.ROOT,
                "%-8s %-20s %-14s %8.2f %10s %8s%n",
                shape.code(),
                operation.title,
                coder,
                speeds.gigabytesPerSecond(coder),
                ratio(speeds, coder, Coders.RS_JAVA, "%.1f"),
                ratio(speeds, coder, Coders.ISAL, "%.2f"));
    }

    private static String ratio(Speeds speeds, String coder, String base, String format) {
        return speeds.ratio(coder, base)
                .map(ratio -> String.format(Locale.ROOT, format, ratio))
                .orElse("-");
    }
}
