/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a long task: a bar on a terminal, otherwise a line from time to time. Short tasks show nothing. */
final class Progress implements AutoCloseable {
    /** Shorter tasks end before a bar would be seen. */
    private static final long BIG = 256L << 20;

    private static final long MIB = 1 << 20;
    private static final int UPDATE_MILLIS = 200;

    private final LongConsumer shown;
    private final Runnable end;

    private Progress(LongConsumer shown, Runnable end) {
        this.shown = shown;
        this.end = end;
    }

    /** Starts a task of this many bytes. */
    static Progress of(String task, long bytes) {
        if (!Boolean.getBoolean("paritas.terminal")) {
            return lines(task, bytes, System.err, System::nanoTime);
        }
        if (bytes < BIG) {
            return new Progress(any -> {}, () -> {});
        }
        ProgressBar bar = bar(task, bytes);
        return new Progress(bar::stepBy, bar::close);
    }

    /** Starts a task that is shown in lines. */
    static Progress lines(String task, long bytes, PrintStream err, LongSupplier nanoTime) {
        return new Progress(new Lines(task, bytes, err, nanoTime), () -> {});
    }

    /** A line after ten seconds at least, and a tenth of the task at least. */
    private static final class Lines implements LongConsumer {
        private static final long QUIET_NANOS = 10_000_000_000L;
        private static final int QUIET_PERCENT = 10;

        private final String task;
        private final long bytes;
        private final PrintStream err;
        private final LongSupplier clock;
        private final long start;
        private long done;
        private long lastLine;
        private long lastPercent;

        Lines(String task, long bytes, PrintStream err, LongSupplier clock) {
            this.task = task;
            this.bytes = bytes;
            this.err = err;
            this.clock = clock;
            start = clock.getAsLong();
            lastLine = start;
        }

        @Override
        public void accept(long more) {
            done += more;
            long percent = (long) (100.0 * done / bytes);
            long now = clock.getAsLong();
            if (now - lastLine >= QUIET_NANOS && percent >= lastPercent + QUIET_PERCENT) {
                lastLine = now;
                lastPercent = percent;
                err.println(String.format(
                        Locale.ROOT,
                        "%s: %d %% of %,d MiB after %d s",
                        task,
                        percent,
                        bytes / MIB,
                        (now - start) / 1_000_000_000));
            }
        }
    }

    private static ProgressBar bar(String task, long bytes) {
        return new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(bytes)
                .setUnit(" MiB", MIB)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setStyle(ProgressBarStyle.ASCII)
                .showSpeed()
                .clearDisplayOnFinish()
                .build();
    }

    /** Adds bytes that are done. */
    void advance(long bytes) {
        shown.accept(bytes);
    }

    @Override
    public void close() {
        end.run();
    }
}
