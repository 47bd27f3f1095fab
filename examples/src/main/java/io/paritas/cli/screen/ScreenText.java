/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.screen;

import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.screen.exercise.WrongResult;
import java.util.Locale;

/** The lines of a report for a processor. */
public final class ScreenText {
    private static final int MOST = 5;

    private ScreenText() {}

    /** The result in a line, and the first wrong values in a few more. */
    public static String of(ProcessorResult result) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s  processor %d%s: %s%n",
                result.wrong() == 0 ? "ok  " : "FAIL",
                result.processor(),
                result.pinned() ? "" : " (the thread could not be kept there)",
                result.wrong() == 0 ? runs(result) : result.wrong() + " wrong results"));
        result.first().stream().limit(MOST).forEach(wrong -> text.append(line(wrong)));
        return text.toString();
    }

    /** A line for the first wrong result of a processor, while others are still looked for. */
    static String first(WrongResult wrong, int processor) {
        return "  processor " + processor + " is wrong: " + line(wrong).strip();
    }

    private static String runs(ProcessorResult result) {
        StringBuilder text = new StringBuilder();
        result.runs().forEach((name, runs) -> text.append(text.length() == 0 ? "" : ", ")
                .append(runs)
                .append(" x ")
                .append(name));
        return text.toString();
    }

    private static String line(WrongResult wrong) {
        if (wrong.index() < 0) {
            return String.format(Locale.ROOT, "      %s: the kernel's own check failed%n", wrong.exercise());
        }
        String format =
                "      %s, input %d, result %d: %0" + wrong.width() / 4 + "x instead of %0" + wrong.width() / 4 + "x%n";
        return String.format(
                Locale.ROOT,
                format,
                wrong.exercise(),
                wrong.pattern(),
                wrong.index(),
                wrong.actual(),
                wrong.expected());
    }
}
