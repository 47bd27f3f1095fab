/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A report in Markdown with plots: the results, their conditions, and published figures. */
final class Report {
    /** The page's file; it has plots beside it. */
    static final String PAGE = "bench.md";

    private final Conditions conditions;
    private final List<RaceResult> measured;
    private final List<String> lines = new ArrayList<>();

    Report(Conditions conditions, List<RaceResult> measured) {
        this.conditions = conditions;
        this.measured = measured;
    }

    /** Writes {@code bench.md} and the plots into a directory, which is created if missing. */
    Path writeTo(Path directory) throws IOException {
        CompleteFile.createFolder(directory);
        List<PublishedSpeed> published = PublishedSpeed.all().stream()
                .filter(each -> measured.stream()
                        .anyMatch(ours ->
                                ours.shape().code().equals(each.code()) && ours.operation() == each.operation()))
                .toList();
        conditions();
        table();
        published(published);
        Path file = directory.resolve(PAGE);
        try {
            plots(directory, published);
        } finally {
            CompleteFile.write(file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private void conditions() {
        lines.addAll(List.of(
                "# Coders on this machine",
                "",
                "* Machine: " + conditions.machine(),
                "* Flags of the JVM: `" + conditions.flags() + "`",
                "* Command: `" + conditions.command() + "`, " + conditions.day(),
                "* Kernel: " + conditions.kernel(),
                "* ISA-L: " + conditions.isal(),
                "",
                "GB/s are 10⁹ bytes of *data* per second: k units, whatever is computed of them. The coders take turns of 10 ms;"
                        + " the figures are medians, with the quartiles in brackets, and the medians of the ratios of"
                        + " neighbouring turns. What they compute is compared after each turn.",
                ""));
        RaceResult.coders(measured)
                .forEach(coder ->
                        lines.add("* `" + coder + "`: " + Coders.named(coder).about()));
        lines.add("");
    }

    private void table() {
        lines.addAll(List.of(
                "## Measured",
                "",
                "| threads | unit | code | operation | coder | GB/s | × rs_java | × isa-l |",
                "|---:|---:|---|---|---|---:|---:|---:|"));
        for (RaceResult each : measured) {
            for (String coder : each.speeds().coders()) {
                lines.add(row(each, coder));
            }
        }
        lines.add("");
    }

    private static String row(RaceResult each, String coder) {
        Speeds speeds = each.speeds();
        return String.format(
                Locale.ROOT,
                "| %d | %s | %s | %s | %s | %.2f (%.2f–%.2f) | %s | %s |",
                each.threads(),
                UnitLength.shown(each.shape().unitLength()),
                each.shape().code(),
                each.operation().title,
                coder,
                speeds.gigabytesPerSecond(coder),
                speeds.quantile(coder, 0.25),
                speeds.quantile(coder, 0.75),
                shown(speeds.ratio(coder, Coders.RS_JAVA)),
                shown(speeds.ratio(coder, Coders.ISAL)));
    }

    private static String shown(Optional<Double> value) {
        return value.map(number -> String.format(Locale.ROOT, "%.2f", number)).orElse("–");
    }

    private void published(List<PublishedSpeed> published) {
        lines.addAll(List.of(
                "## Published by others",
                "",
                "On other machines, and not measured here: only the ratio to ISA-L on the same machine can be compared with the"
                        + " column above. xorslp (Uezato, SC'21) and TVM-EC (Hu et al., HotStorage'24) code longer units, and lay"
                        + " out a unit's bits so that a byte of parity depends on other bytes than the same ones of the data,"
                        + " which HDFS cannot use.",
                ""));
        if (published.isEmpty()) {
            lines.addAll(List.of("Of these codes, nothing: they have k = 8, 9, 10 and r = 2, 3, 4.", ""));
            return;
        }
        lines.addAll(List.of(
                "| coder | machine | code | operation | GB/s | ISA-L there | × ISA-L |",
                "|---|---|---|---|---:|---:|---:|"));
        for (PublishedSpeed each : published) {
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %.2f | %s | %s |",
                    each.coder(),
                    each.machine(),
                    each.code(),
                    each.operation().title,
                    each.gigabytesPerSecond(),
                    shown(each.isal()),
                    shown(each.isal().map(isal -> each.gigabytesPerSecond() / isal))));
        }
        lines.add("");
    }

    /** A JVM without fonts draws no plots, and some may find no place; the figures are written anyway. */
    private void plots(Path directory, List<PublishedSpeed> published) throws IOException {
        lines.addAll(List.of("## Plots", ""));
        try {
            for (String file : new Plots(directory, measured, published).write()) {
                lines.addAll(List.of("![" + file + "](" + file + ")", ""));
            }
        } catch (RuntimeException | LinkageError | InternalError e) {
            lines.add("None: this JVM cannot draw them (" + e + "). It needs fontconfig and a font.");
        }
    }
}
