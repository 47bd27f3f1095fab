/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results, as lines for people and as CSV. */
final class LoadReport {
    private static final double[] SHOWN = {50, 90, 99, 99.9, 100};
    private static final double[] WRITTEN = levels();
    /** A smaller delay of the generator does not show in the latencies of a server behind a network. */
    private static final double LATE = 1;

    private LoadReport() {}

    static String header() {
        return String.format(
                Locale.ROOT,
                "%10s %10s %9s %9s %9s %9s %9s %9s %8s",
                "queries/s",
                "reached",
                "p50 ms",
                "p90 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "mean ms",
                "failed");
    }

    /** Returns a line of the table and remarks about it. */
    static String text(RateResult measured) {
        StringBuilder text =
                new StringBuilder(String.format(Locale.ROOT, "%10.1f %10.1f", measured.rate(), measured.reached()));
        for (double percent : SHOWN) {
            text.append(cell(measured.percentile(percent)));
        }
        text.append(cell(measured.mean())).append(String.format(Locale.ROOT, " %8d", measured.failed()));
        if (!measured.outcomes().isEmpty()) {
            text.append(line(measured.outcomes().entrySet().stream()
                    .map(label -> label.getKey() + " " + label.getValue())
                    .collect(Collectors.joining(", "))));
        }
        measured.failures()
                .forEach((kind, failures) ->
                        text.append(line("failed: " + failures.count() + " with " + kind + ": " + failures.message())));
        notes(measured).forEach(note -> text.append(line(note)));
        return text.toString();
    }

    private static List<String> notes(RateResult measured) {
        return Stream.of(
                        note(
                                measured.late(),
                                "the generator fell behind, by %.1f ms (p99): latencies contain that; give it more CPU, or"
                                        + " ask for less"),
                        note(
                                measured.waited(),
                                "queries waited for a connection, %.1f ms (p99): latencies contain that; the server is at its"
                                        + " limit, or --connections is too low"))
                .filter(note -> !note.isEmpty())
                .toList();
    }

    private static String note(double millis, String format) {
        return millis < LATE ? "" : String.format(Locale.ROOT, "note: " + format, millis);
    }

    private static String line(String content) {
        return System.lineSeparator() + "           " + content;
    }

    private static String cell(OptionalDouble millis) {
        return millis.isPresent()
                ? String.format(Locale.ROOT, " %9.2f", millis.getAsDouble())
                : String.format(Locale.ROOT, " %9s", "failed");
    }

    /** Returns CSV: a latency for each rate and percentile, empty where queries failed. */
    static String csv(List<RateResult> all) {
        StringBuilder csv = new StringBuilder("rate,reached,percentile,latency_ms\n");
        for (RateResult measured : all) {
            for (double percent : WRITTEN) {
                OptionalDouble millis = measured.percentile(percent);
                csv.append(String.format(
                        Locale.ROOT,
                        "%s,%.2f,%s,%s%n",
                        measured.rate(),
                        measured.reached(),
                        percent,
                        millis.isPresent() ? String.format(Locale.ROOT, "%.4f", millis.getAsDouble()) : ""));
            }
        }
        return csv.toString();
    }

    /** 1 to 99, 99.1 to 99.9, and so on to 99.99, and 100. */
    static double[] levels() {
        double[] levels = new double[118];
        for (int i = 0; i < 99; i++) {
            levels[i] = i + 1;
        }
        for (int i = 1; i <= 9; i++) {
            levels[98 + i] = (990 + i) / 10.0;
            levels[107 + i] = (9990 + i) / 100.0;
        }
        levels[117] = 100;
        return levels;
    }
}
