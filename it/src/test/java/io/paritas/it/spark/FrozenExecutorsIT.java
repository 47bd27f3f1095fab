/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.examples.spark.ExecutorProcess;
import io.paritas.inference.spark.CodedInferencePlugin;
import io.paritas.inference.spark.SparkSetting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Executors that do not even acknowledge that their task is killed; Spark alone would wait for minutes. */
class FrozenExecutorsIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int ROWS = 192;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    static Path folder;

    @Test
    void areGivenUpAfterATimeout() throws Exception {
        Map<String, String> settings = Map.of(
                "spark.plugins", CodedInferencePlugin.class.getName(),
                SparkSetting.FROZEN_TIMEOUT.key(), "1000");
        SparkSession session = SPARK.session(settings);
        List<Long> before = pids();

        reconstructs(session);

        assertThat(SPARK.session(settings).sparkContext()).isSameAs(session.sparkContext());
        assertThat(pids()).as("one of them is another").hasSize(3).isNotEqualTo(before);
        Leftovers.awaitNone(session);
    }

    /** With speculation, Spark starts a second attempt on another host, and that one reconstructs. */
    @Test
    void areLeftAloneIfSparkSpeculates() throws Exception {
        SparkSession session = SPARK.session(Map.of(
                "spark.plugins", CodedInferencePlugin.class.getName(),
                "spark.speculation", "true",
                "spark.speculation.multiplier", "1.5",
                "spark.speculation.quantile", "0.5",
                "spark.speculation.efficiency.enabled", "false"));
        List<Long> before = pids();

        reconstructs(session);

        assertThat(pids()).isEqualTo(before);
        SPARK.executors().forEach(ExecutorProcess::thaw);
        Leftovers.awaitNone(session);
    }

    private static void reconstructs(SparkSession session) {
        KnownAnswers known = KnownAnswers.offset(folder, 2);
        long start = System.nanoTime();
        List<Row> answers = known.of(KnownAnswers.rows(session, ROWS, 2), Faults.at(1, Fault.FREEZE))
                .collectAsList();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT);
        assertThat(known.check(answers, ROWS)).isNotEmpty();
    }

    private static List<Long> pids() {
        return SPARK.executors().stream().map(ExecutorProcess::pid).sorted().toList();
    }
}
