/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the number of finished queries on standard error, if that is a terminal. Thread-safe. */
final class LoadProgress implements Consumer<Outcome>, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;

    private final LongAdder failed = new LongAdder();
    /** Null if standard error is not a terminal. */
    private final ProgressBar bar;

    LoadProgress(double rate, int queries) {
        bar = Boolean.getBoolean("paritas.terminal")
                ? new ProgressBarBuilder()
                        .setTaskName(rate + " queries/s")
                        .setInitialMax(queries)
                        .setUpdateIntervalMillis(UPDATE_MILLIS)
                        .setStyle(ProgressBarStyle.ASCII)
                        .clearDisplayOnFinish()
                        .build()
                : null;
    }

    @Override
    public void accept(Outcome outcome) {
        if (bar == null) {
            return;
        }
        bar.step();
        if (!outcome.isAnswer()) {
            failed.increment();
            bar.setExtraMessage(failed + " failed");
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
