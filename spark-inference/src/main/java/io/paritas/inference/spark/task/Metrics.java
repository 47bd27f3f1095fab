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

/** The metrics of a prediction, as Spark's page of the query shows them. */
public final class Metrics implements Serializable {
    private static final long serialVersionUID = 1;

    /** All metrics. Ordinary predictions have those that are not about coding. */
    public enum Metric {
        ROWS("numOutputRows", "number of output rows", false),
        UNAVAILABLE_ROWS("unavailableRows", "rows unavailable", false),
        MODEL_LOAD_TIME("modelLoadTime", "time to load models", false),
        INFERENCE_TIME("inferenceTime", "time of inference", false),
        CHECKS("protectionChecks", "checks of computed values", false),
        DETECTIONS("protectionDetections", "layers with wrong values", false),
        RECOMPUTATIONS("protectionRecomputations", "layers computed once more", false),
        RECONSTRUCTED_ROWS("reconstructedRows", "rows reconstructed", true),
        SEGMENTS_COMPUTED("segmentsComputed", "segments computed", true),
        SEGMENTS_RECONSTRUCTED("segmentsReconstructed", "segments reconstructed", true),
        SEGMENTS_FETCHED("segmentsFetched", "segments answered by an earlier attempt", true),
        PARITY_COMPUTED("parityComputed", "parity batches computed", true),
        PARITY_SKIPPED("paritySkipped", "parities of segments skipped", true),
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

    /** Creates the metrics of a coded prediction. */
    public static Metrics coded(SparkContext context) {
        return new Metrics(context, metric -> true);
    }

    /** Creates the metrics of an ordinary prediction. */
    public static Metrics plain(SparkContext context) {
        return new Metrics(context, metric -> !metric.coded);
    }

    /** The counter of a metric; null if the prediction does not have it. */
    public SQLMetric get(Metric metric) {
        return metrics.get(metric);
    }

    /** Adds to a metric; does nothing for one that only coded predictions have. */
    public void add(Metric metric, long value) {
        SQLMetric counted = metrics.get(metric);
        if (counted != null) {
            counted.add(value);
        }
    }

    /** The metrics by their names in Spark. */
    public Map<String, SQLMetric> byName() {
        Map<String, SQLMetric> named = new LinkedHashMap<>();
        metrics.forEach((metric, counted) -> named.put(metric.key, counted));
        return named;
    }
}
