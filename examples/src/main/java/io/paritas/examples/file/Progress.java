/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a long task is, if somebody watches: a program without a terminal, or a short task, shows nothing. */
final class Progress implements AutoCloseable {
    /** Below this the bar would be gone before it is seen. */
    private static final long BIG = 256L << 20;

    private static final long MIB = 1 << 20;
    private static final int UPDATE_MILLIS = 200;

    /** Null if nothing is shown. */
    private final ProgressBar bar;

    private Progress(ProgressBar bar) {
        this.bar = bar;
    }

    /** Starts a task of so many bytes. */
    static Progress of(String task, long bytes) {
        boolean shown = Boolean.getBoolean("paritas.terminal") && bytes >= BIG;
        return new Progress(shown ? bar(task, bytes) : null);
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

    /** Some more bytes are done. */
    void advance(long bytes) {
        if (bar != null) {
            bar.stepBy(bytes);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
