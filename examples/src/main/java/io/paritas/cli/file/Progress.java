/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a long task on a terminal. Short tasks, and programs without a terminal, show nothing. */
final class Progress implements AutoCloseable {
    /** Shorter tasks end before a bar would be seen. */
    private static final long BIG = 256L << 20;

    private static final long MIB = 1 << 20;
    private static final int UPDATE_MILLIS = 200;

    /** Null if nothing is shown. */
    private final ProgressBar bar;

    private Progress(ProgressBar bar) {
        this.bar = bar;
    }

    /** Starts a task of this many bytes. */
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

    /** Adds bytes that are done. */
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
