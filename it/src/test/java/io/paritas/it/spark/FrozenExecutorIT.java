/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.spark.ParitasPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An executor that holds a task and a part of the exchange, and answers nobody; Spark alone would wait for two minutes. */
class FrozenExecutorIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final int ROWS = 192;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    @Test
    @Timeout(300)
    void isGivenUpAfterATimeout() throws Exception {
        Map<String, String> settings = Map.of(
                "spark.plugins", ParitasPlugin.class.getName(), CodedSettings.FROZEN_EXECUTOR_TIMEOUT.key(), "1s");
        SparkSession session = SPARK.session(settings);
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        known.check(known.of(KnownAnswers.rows(session, ROWS, 2)).collectAsList(), ROWS);
        List<Long> before = pids();

        long start;
        Duration took;
        do { // A slow task is over before it has frozen its executor: its rows are decoded.
            start = System.nanoTime();
            List<Row> answers = known.of(KnownAnswers.rows(session, ROWS, 2), Faults.at(1, Fault.FREEZE))
                    .collectAsList();
            took = Duration.ofNanos(System.nanoTime() - start);
            known.check(answers, ROWS);
        } while (pids().equals(before) && before.stream().noneMatch(FrozenExecutorIT::isStopped));

        // Executors are asked once a second while something is coded: queries may be shorter and miss that moment.
        while (pids().equals(before) && System.nanoTime() - start < LIMIT.toNanos()) {
            known.check(known.of(KnownAnswers.rows(session, ROWS, 2)).collectAsList(), ROWS);
        }
        assertThat(took).isLessThan(LIMIT);
        assertThat(SPARK.session(settings).sparkContext()).isSameAs(session.sparkContext());
        assertThat(pids()).as("one of them is another").hasSize(3).isNotEqualTo(before);
        Leftovers.awaitNone(session);
    }

    private static boolean isStopped(long pid) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(pid), "stat"))
                    .contains(") T ");
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static List<Long> pids() {
        return SPARK.executors().stream().map(ExecutorProcess::pid).sorted().toList();
    }
}
