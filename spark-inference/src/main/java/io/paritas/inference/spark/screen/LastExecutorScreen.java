/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.spark.screen.ExecutorScreen.Screened;
import io.paritas.spark.plugin.Report;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the last {@link ExecutorScreen} of this JVM has found, processor by processor. Batches cannot tell which processor computed
 * them: the operating system moves threads. Thread-safe.
 */
final class LastExecutorScreen {
    private static volatile Optional<LastExecutorScreen> last = Optional.empty();

    private final String application;
    private final Instant time;
    private final List<Screened> executors;

    private LastExecutorScreen(String application, Instant time, List<Screened> executors) {
        this.application = application;
        this.time = time;
        this.executors = executors;
    }

    static void ended(String application, List<Screened> executors) {
        last = Optional.of(new LastExecutorScreen(application, Instant.now(), executors));
    }

    /** A table for Spark's UI; none if the application has had no screen. */
    static List<Report> reports(String application) {
        return last.filter(screen -> screen.application.equals(application))
                .map(screen -> List.of(screen.report()))
                .orElse(List.of());
    }

    private Report report() {
        List<List<String>> rows = new ArrayList<>();
        for (Screened executor : executors) {
            executor.processors().forEach(processor -> rows.add(row(executor, processor)));
        }
        return new Report(
                "Processors that were exercised until " + ScreeningReport.text(time),
                List.of("Executor", "Host", "Processor", "State", "Exercises", "Wrong", "Bits that were wrong"),
                rows);
    }

    private static List<String> row(Screened executor, ProcessorResult result) {
        long runs = result.runs().values().stream().mapToLong(Long::longValue).sum();
        int[] bits = new int[Integer.SIZE];
        result.first().forEach(wrong -> Difference.count(wrong.flipped(), bits));
        return List.of(
                executor.executor(),
                executor.host(),
                result.processor() + (result.pinned() ? "" : " or another one"),
                result.wrong() == 0 ? "clear" : "suspect",
                String.valueOf(runs),
                String.valueOf(result.wrong()),
                WrongBits.text(bits));
    }
}
