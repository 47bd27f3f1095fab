/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.inference.train.Epoch;
import io.paritas.inference.train.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a training: a bar on a terminal, otherwise a line from time to time. */
final class TrainingProgress implements Progress, AutoCloseable {
    private static final long QUIET_SECONDS = 10;
    private static final long QUIET_SECONDS_IN_AN_EPOCH = 60;

    private final PrintWriter out;
    private final LongSupplier nanoTime;
    private ProgressBar bar;
    private Epoch best;
    private long lastLine;
    private long lastEpochLine;
    private int epochs;

    /** Of the newest epoch; empty if it was told. */
    private String untold = "";

    TrainingProgress(PrintWriter out) {
        this(out, System::nanoTime);
    }

    TrainingProgress(PrintWriter out, LongSupplier nanoTime) {
        this.out = out;
        this.nanoTime = nanoTime;
    }

    @Override
    public void started(String what, int count, int resumedAfter) {
        close();
        epochs = count;
        best = null;
        lastLine = nanoTime.getAsLong();
        lastEpochLine = lastLine;
        if (resumedAfter > 0) {
            print("going on after epoch %d of the checkpoint", resumedAfter);
        }
        if (Boolean.getBoolean("paritas.terminal")) {
            bar = new ProgressBarBuilder()
                    .setTaskName("epochs")
                    .setInitialMax(count)
                    .startsFrom(resumedAfter, Duration.ZERO)
                    .setStyle(ProgressBarStyle.ASCII)
                    .clearDisplayOnFinish()
                    .build();
        }
    }

    @Override
    public void batch(int epoch, int done, int batches, double loss) {
        if (bar != null) {
            bar.setExtraMessage(String.format(
                    Locale.ROOT,
                    "batch %d/%d, loss %.4g%s",
                    done,
                    batches,
                    loss,
                    best == null ? "" : ", " + text(best)));
        } else if (isQuiet(lastLine, QUIET_SECONDS_IN_AN_EPOCH)) {
            lastLine = nanoTime.getAsLong();
            print("epoch %d/%d, batch %d/%d: loss %.4g", epoch, epochs, done, batches, loss);
        }
    }

    @Override
    public void epoch(Epoch epoch, Optional<Epoch> bestSoFar) {
        best = bestSoFar.orElse(null);
        if (bar != null) {
            bar.step();
        }
        untold = String.format(
                Locale.ROOT,
                "epoch %d/%d: loss %.4g, score %.4f in %.1f s%s",
                epoch.number(),
                epochs,
                epoch.loss(),
                epoch.score(),
                epoch.seconds(),
                best == null ? "" : "; " + text(best));
        if (isQuiet(lastEpochLine, QUIET_SECONDS)) {
            lastLine = nanoTime.getAsLong();
            lastEpochLine = lastLine;
            tellEpoch();
        }
    }

    private boolean isQuiet(long since, long seconds) {
        return nanoTime.getAsLong() - since >= TimeUnit.SECONDS.toNanos(seconds);
    }

    private void tellEpoch() {
        if (!untold.isEmpty()) {
            print("%s", untold);
            untold = "";
        }
    }

    private static String text(Epoch best) {
        return String.format(Locale.ROOT, "best %.4f in epoch %d", best.score(), best.number());
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /** Tells the last epoch, whichever it was. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
        tellEpoch();
    }
}
