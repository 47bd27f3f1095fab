/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;

/** Prints a line for each step, with its time when it is done. */
final class Progress {
    private static final long POLL_MILLIS = 250;

    /**
     * A condition that a step waits for.
     *
     * @param what is counted, such as {@code blocks to go}
     * @param missing returns how many of them there still are; the condition holds at 0 and below
     */
    record Condition(String what, Callable<Long> missing) {}

    /** The result of a step, and its time. */
    record Timed<T>(T value, Duration time) {
        static <T> Timed<T> of(Callable<T> work) throws Exception {
            long start = System.nanoTime();
            T value = work.call();
            return new Timed<>(value, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private final PrintStream out;
    private final boolean terminal;
    private String step = "";

    /** @param out a terminal, if the system property {@code paritas.terminal} says so */
    Progress(PrintStream out) {
        this.out = out;
        terminal = Boolean.getBoolean("paritas.terminal");
    }

    /** Runs a step. */
    <T> Timed<T> step(String name, Callable<T> work) throws Exception {
        step = name;
        out.print(name + " ... ");
        out.flush();
        Timed<T> done = Timed.of(work);
        finish(Report.seconds(done.time()) + " s");
        return done;
    }

    /**
     * Waits, within a step, until nothing is missing.
     *
     * @throws CheckFailed when no less than before has been missing for longer than the limit
     */
    void await(Duration limit, String advice, Condition condition) throws Exception {
        long missing = condition.missing().call();
        long least = missing;
        long end = System.nanoTime() + limit.toNanos();
        while (missing > 0) {
            String text = missing + " " + condition.what();
            CheckFailed.require(
                    System.nanoTime() < end,
                    "%s must advance every %d s, and has not: %s. %s",
                    step,
                    limit.toSeconds(),
                    text,
                    advice);
            status(text);
            Thread.sleep(POLL_MILLIS);
            missing = condition.missing().call();
            if (missing < least) {
                least = missing;
                end = System.nanoTime() + limit.toNanos();
            }
        }
    }

    /** Replaces the text of this step's line, on a terminal. */
    private void status(String text) {
        if (terminal) {
            out.printf(Locale.ROOT, "\r%s ... %s\033[K", step, text);
            out.flush();
        }
    }

    /** Prints a line that is not a step. */
    void say(String line) {
        out.println(line);
    }

    private void finish(String text) {
        status(text);
        out.println(terminal ? "" : text);
        step = "";
    }

    /** Ends the line of the current step, if there is one. */
    void fail() {
        if (!step.isEmpty()) {
            finish("failed");
        }
    }
}
