/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What was measured as a page in Markdown, with plots beside it: under which conditions, and what others published. */
final class Report {
    private final Conditions conditions;
    private final List<Measured> measured;
    private final List<String> lines = new ArrayList<>();

    Report(Conditions conditions, List<Measured> measured) {
        this.conditions = conditions;
        this.measured = measured;
    }

    /** Writes {@code bench.md} and the plots into a directory, which is made if need be. */
    Path writeTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        List<Published> published = Published.all().stream()
                .filter(each -> measured.stream()
                        .anyMatch(ours ->
                                ours.shape().code().equals(each.code()) && ours.operation() == each.operation()))
                .toList();
        conditions();
        table();
        published(published);
        plots(directory, published);
        return Files.write(directory.resolve("bench.md"), lines);
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
        Measured.coders(measured)
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
        for (Measured each : measured) {
            for (String coder : each.speeds().coders()) {
                lines.add(row(each, coder));
            }
        }
        lines.add("");
    }

    private static String row(Measured each, String coder) {
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

    private void published(List<Published> published) {
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
        for (Published each : published) {
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

    /** A JVM without fonts draws nothing; the figures are there all the same. */
    private void plots(Path directory, List<Published> published) throws IOException {
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
