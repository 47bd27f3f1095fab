/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;

/** The final report: a table of the steps, which it runs and times, then facts. */
final class Report {
    private static final String ROW = "  %-34s %8s %12s %12s";
    private static final String FACT = "  %-10s  %s%n";
    private static final String LEGEND = "  MB/s: what HDFS's streams took, the best of three turns; MB = 10^6 bytes."
            + " Without a loss nothing is decoded, and both coders read alike.";

    /** Work without a result. */
    interface Action {
        void run() throws Exception;
    }

    private final Progress progress;
    private final StringBuilder table = new StringBuilder();
    private final StringBuilder facts = new StringBuilder();

    Report(String title, Progress progress) {
        this.progress = progress;
        table.append(title).append(System.lineSeparator().repeat(2));
        cells("step", "seconds", Settings.RS_PARITAS, Settings.RS_JAVA);
    }

    /** Runs a step. */
    void step(String name, Action action) throws Exception {
        Callable<Void> work = () -> {
            action.run();
            return null;
        };
        row(name, progress.step(name, work).time());
    }

    /** Runs a step in which both coders make the same transfer. */
    Duel.Result duel(String name, Callable<Duel.Result> work) throws Exception {
        Progress.Timed<Duel.Result> done = progress.step(name, work);
        Duel.Result result = done.value();
        cells(name, seconds(done.time()), speed(result.paritas()), speed(result.java()));
        return result;
    }

    /** Adds a row without a comparison. */
    void row(String name, Duration time) {
        cells(name, seconds(time), "", "");
    }

    /** Adds a row with the share of the raw coders in the transfers above. */
    void decoding(Duel.Result duel) {
        cells("  of that, in the raw coder", "", decoding(duel.paritas()), decoding(duel.java()));
    }

    /** Adds a line below the table. */
    void fact(String label, String text) {
        facts.append(String.format(Locale.ROOT, FACT, label, text));
    }

    private void cells(String name, String time, String paritas, String java) {
        String row = String.format(Locale.ROOT, ROW, name, time, paritas, java);
        table.append(row.stripTrailing()).append(System.lineSeparator());
    }

    /** Formats with one decimal. */
    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f", time.toMillis() / 1e3);
    }

    /** Formats as for example "128.7 MB". */
    static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }

    private static String speed(Transfer transfer) {
        return String.format(Locale.ROOT, "%.0f MB/s", transfer.megabytesPerSecond());
    }

    private static String decoding(Transfer transfer) {
        return String.format(Locale.ROOT, "%.3f s", transfer.decoding().toMillis() / 1e3);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s%n%s%n%n%s", table, LEGEND, facts);
    }
}
