/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.spark.settings.CodedSettings;
import java.util.HashMap;
import java.util.Map;

/**
 * A way to run the job.
 *
 * @param name in tables
 * @param coded or plain
 * @param copies of each row that are predicted
 * @param partitions of the input: the tasks of a plain job; of a coded one, before its parity
 * @param spark settings of the application
 */
record Setup(String name, boolean coded, int copies, int partitions, Map<String, String> spark) {
    private static final Map<String, String> SPECULATION =
            Map.of("spark.speculation", "true", "spark.speculation.interval", "100ms");
    private static final Map<String, String> TUNED = Map.of(
            "spark.speculation", "true",
            "spark.speculation.interval", "100ms",
            "spark.speculation.multiplier", "1.1",
            "spark.speculation.quantile", "0.5",
            "spark.speculation.efficiency.enabled", "false");
    private static final Map<String, String> CODED = Map.of(
            "spark.plugins", "io.paritas.spark.ParitasPlugin",
            "spark.paritas.coded.frozenExecutorTimeout", "500ms",
            "spark.paritas.coded.frozenExecutorInterval", "1s");

    static Setup plain(int tasks) {
        return new Setup("plain, " + tasks + " tasks", false, 1, tasks, Map.of());
    }

    static Setup speculation(int tasks) {
        return new Setup("speculation, Spark's defaults, " + tasks + " tasks", false, 1, tasks, SPECULATION);
    }

    static Setup tuned(int tasks) {
        return new Setup("speculation, tuned, " + tasks + " tasks", false, 1, tasks, TUNED);
    }

    /** Of two copies of all rows. */
    static Setup replicated(int tasks) {
        return new Setup("plain, twice, " + 2 * tasks + " tasks", false, 2, 2 * tasks, Map.of());
    }

    static Setup coded(int tasks, int k) {
        return new Setup("coded, k = " + k + ", " + tasks + " + " + tasks / k + " tasks", true, 1, tasks, CODED);
    }

    /** Of rows that are read again where they are needed. */
    static Setup inPlace(int tasks, int k) {
        Map<String, String> spark = new HashMap<>(CODED);
        spark.put(CodedSettings.EXCHANGE.key(), "never");
        return new Setup("coded without an exchange, k = " + k + ", " + tasks + " tasks", true, 1, tasks, spark);
    }

    /** Whether rows stay where they are. */
    boolean isInPlace() {
        return "never".equals(spark.get(CodedSettings.EXCHANGE.key()));
    }

    /** Different rows of a job whose tasks would have so many each, were it plain and without copies. */
    int rows(int rowsOfTask) {
        return partitions / copies * rowsOfTask;
    }
}
