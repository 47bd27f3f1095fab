/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import java.io.PrintWriter;

/** Passes on what the driver of a training prints; on a terminal, its progress is one line that changes. */
final class DriverOutput {
    private static final String PROGRESS = "progress ";
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter console;
    private final PrintWriter err;
    private final boolean terminal;
    private boolean shown;

    /**
     * @param console for results
     * @param err for progress
     * @param terminal whether a terminal shows {@code err}
     */
    DriverOutput(PrintWriter console, PrintWriter err, boolean terminal) {
        this.console = console;
        this.err = err;
        this.terminal = terminal;
    }

    /** Passes a line on. */
    void line(String line) {
        clear();
        if (!line.startsWith(PROGRESS)) {
            console.println(line);
            console.flush();
            return;
        }
        String progress = line.substring(PROGRESS.length());
        if (terminal) {
            err.print(progress);
            shown = true;
        } else {
            err.println(progress);
        }
        err.flush();
    }

    /** Removes the line of progress, if there is one. */
    void clear() {
        if (shown) {
            err.print(CLEAR);
            err.flush();
            shown = false;
        }
    }
}
