/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/** What Spark's page of a query shows of a prediction. */
public final class Metrics implements Serializable {
    private static final long serialVersionUID = 1;

    /** The metrics; ordinary predictions have those that are not about coding. */
    public enum Metric {
        ROWS("numOutputRows", "number of output rows", false),
        UNAVAILABLE_ROWS("unavailableRows", "rows unavailable", false),
        MODEL_LOAD_TIME("modelLoadTime", "time to load models", false),
        INFERENCE_TIME("inferenceTime", "time of inference", false),
        CHECKS("protectionChecks", "checks of computed values", false),
        DETECTIONS("protectionDetections", "layers with wrong values", false),
        RECOMPUTATIONS("protectionRecomputations", "layers computed once more", false),
        RECONSTRUCTED_ROWS("reconstructedRows", "rows reconstructed", true),
        UNITS_COMPUTED("unitsComputed", "units computed", true),
        UNITS_RECONSTRUCTED("unitsReconstructed", "units reconstructed", true),
        UNITS_FETCHED("unitsFetched", "units answered by an earlier attempt", true),
        PARITY_COMPUTED("parityComputed", "parity batches computed", true),
        PARITY_SKIPPED("paritySkipped", "parities of units skipped", true),
        KILLS("kills", "late tasks killed", true),
        WAIT_TIME("waitTime", "time waiting for the coordinator and blocks", true);

        private final String key;
        private final String text;
        private final boolean coded;

        Metric(String key, String text, boolean coded) {
            this.key = key;
            this.text = text;
            this.coded = coded;
        }

        private SQLMetric create(SparkContext context) {
            return this == MODEL_LOAD_TIME || this == INFERENCE_TIME || this == WAIT_TIME
                    ? SQLMetrics.createNanoTimingMetric(context, text, 0)
                    : SQLMetrics.createMetric(context, text);
        }
    }

    private final EnumMap<Metric, SQLMetric> metrics = new EnumMap<>(Metric.class);

    private Metrics(SparkContext context, Function<Metric, Boolean> wanted) {
        Arrays.stream(Metric.values())
                .filter(wanted::apply)
                .forEach(metric -> metrics.put(metric, metric.create(context)));
    }

    /** New ones for a coded prediction. */
    public static Metrics coded(SparkContext context) {
        return new Metrics(context, metric -> true);
    }

    /** New ones for an ordinary prediction. */
    public static Metrics plain(SparkContext context) {
        return new Metrics(context, metric -> !metric.coded);
    }

    /** One that it has. */
    public SQLMetric get(Metric metric) {
        return metrics.get(metric);
    }

    /** Counts; nothing if it has no such metric. */
    public void add(Metric metric, long value) {
        SQLMetric counted = metrics.get(metric);
        if (counted != null) {
            counted.add(value);
        }
    }

    /** By the names that Spark knows them by. */
    public Map<String, SQLMetric> byName() {
        Map<String, SQLMetric> named = new LinkedHashMap<>();
        metrics.forEach((metric, counted) -> named.put(metric.key, counted));
        return named;
    }
}
