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
    private int epochs;

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
        } else if (quietFor(QUIET_SECONDS_IN_AN_EPOCH)) {
            line("epoch %d/%d, batch %d/%d: loss %.4g", epoch, epochs, done, batches, loss);
        }
    }

    @Override
    public void epoch(Epoch epoch, Optional<Epoch> bestSoFar) {
        best = bestSoFar.orElse(null);
        if (bar != null) {
            bar.step();
        }
        boolean last = epoch.number() == epochs;
        if (last || quietFor(QUIET_SECONDS)) {
            line(
                    "epoch %d/%d: loss %.4g, score %.4f in %.1f s%s",
                    epoch.number(),
                    epochs,
                    epoch.loss(),
                    epoch.score(),
                    epoch.seconds(),
                    best == null ? "" : "; " + text(best));
        }
    }

    private boolean quietFor(long seconds) {
        return nanoTime.getAsLong() - lastLine >= TimeUnit.SECONDS.toNanos(seconds);
    }

    private void line(String format, Object... values) {
        lastLine = nanoTime.getAsLong();
        print(format, values);
    }

    private static String text(Epoch best) {
        return String.format(Locale.ROOT, "best %.4f in epoch %d", best.score(), best.number());
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
