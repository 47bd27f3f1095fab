/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Says what goes on: a line for each step, with its time once it is done. */
final class Progress {
    private static final long POLL_MILLIS = 250;

    /** What a step waits for. */
    interface Condition {
        /** What is still missing, or empty when nothing is. */
        Optional<String> missing() throws Exception;
    }

    /** What a step gave, and how long it took. */
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

    /** @param out where somebody looks, if the system property {@code paritas.terminal} says so */
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
     * @throws CheckFailed after the time limit
     */
    void await(Duration limit, String advice, Condition condition) throws Exception {
        long end = System.nanoTime() + limit.toNanos();
        Optional<String> missing = condition.missing();
        while (missing.isPresent()) {
            CheckFailed.require(
                    System.nanoTime() < end,
                    "%s takes at most %d s; then: %s. %s",
                    step,
                    limit.toSeconds(),
                    missing.get(),
                    advice);
            status(missing.get());
            Thread.sleep(POLL_MILLIS);
            missing = condition.missing();
        }
    }

    /** Replaces what the line of this step says, where that is possible. */
    private void status(String text) {
        if (terminal) {
            out.printf("\r%s ... %s\033[K", step, text);
            out.flush();
        }
    }

    /** One line that is not a step. */
    void say(String line) {
        out.println(line);
    }

    private void finish(String text) {
        status(text);
        out.println(terminal ? "" : text);
        step = "";
    }

    /** Ends the line of the step that goes on, if there is one. */
    void fail() {
        if (!step.isEmpty()) {
            finish("failed");
        }
    }
}
