/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.Map;

/**
 * A way to run the job.
 *
 * @param name in tables
 * @param coded or plain
 * @param partitions of the input: the tasks of a plain job; of a coded one, before its parity
 * @param spark settings of the application
 */
record Setup(String name, boolean coded, int partitions, Map<String, String> spark) {
    private static final Map<String, String> SPECULATION =
            Map.of("spark.speculation", "true", "spark.speculation.interval", "100ms");
    private static final Map<String, String> TUNED = Map.of(
            "spark.speculation", "true",
            "spark.speculation.interval", "100ms",
            "spark.speculation.multiplier", "1.1",
            "spark.speculation.quantile", "0.5",
            "spark.speculation.efficiency.enabled", "false");
    private static final Map<String, String> CODED = Map.of(
            "spark.plugins", "io.paritas.inference.spark.CodedInferencePlugin",
            "spark.paritas.coded.frozenExecutorTimeout", "500",
            "spark.paritas.coded.frozenExecutorInterval", "1000");

    static Setup plain(int tasks) {
        return new Setup("plain, " + tasks + " tasks", false, tasks, Map.of());
    }

    static Setup speculation(int tasks) {
        return new Setup("speculation, Spark's defaults, " + tasks + " tasks", false, tasks, SPECULATION);
    }

    static Setup tuned(int tasks) {
        return new Setup("speculation, tuned, " + tasks + " tasks", false, tasks, TUNED);
    }

    static Setup coded(int tasks, int k) {
        return new Setup("coded, k = " + k + ", " + tasks + " + " + tasks / k + " tasks", true, tasks, CODED);
    }
}
