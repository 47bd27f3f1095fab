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

    private enum Of {
        ALL,
        CODED,
        CASCADES
    }

    /** All metrics. Ordinary predictions have those that are about neither coding nor cascades. */
    public enum Metric {
        ROWS("numOutputRows", "number of output rows", Of.ALL),
        UNAVAILABLE_ROWS("unavailableRows", "rows unavailable", Of.ALL),
        MODEL_LOAD_TIME("modelLoadTime", "time to load models", Of.ALL),
        INFERENCE_TIME("inferenceTime", "time of inference", Of.ALL),
        CHECKS("protectionChecks", "checks of computed values", Of.ALL),
        DETECTIONS("protectionDetections", "layers with wrong values", Of.ALL),
        RECOMPUTATIONS("protectionRecomputations", "layers computed once more", Of.ALL),
        SMALL_ROWS("smallRows", "rows that the small model was sure of", Of.CASCADES),
        LARGE_ROWS("largeRows", "rows for the large model", Of.CASCADES),
        LARGE_BATCHES("largeBatches", "batches for the large model", Of.CASCADES),
        RECONSTRUCTED_ROWS("reconstructedRows", "rows reconstructed", Of.CODED),
        SEGMENTS_COMPUTED("segmentsComputed", "segments computed", Of.CODED),
        SEGMENTS_RECONSTRUCTED("segmentsReconstructed", "segments reconstructed", Of.CODED),
        SEGMENTS_FETCHED("segmentsFetched", "segments answered by an earlier attempt", Of.CODED),
        PARITY_COMPUTED("parityComputed", "parity batches computed", Of.CODED),
        PARITY_SKIPPED("paritySkipped", "parities of segments skipped", Of.CODED),
        KILLS("kills", "late tasks killed", Of.CODED),
        WAIT_TIME("waitTime", "time waiting for the coordinator and blocks", Of.CODED);

        private final String key;
        private final String text;
        private final Of of;

        Metric(String key, String text, Of of) {
            this.key = key;
            this.text = text;
            this.of = of;
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
        return new Metrics(context, metric -> metric.of != Of.CASCADES);
    }

    /** Creates the metrics of an ordinary prediction. */
    public static Metrics plain(SparkContext context) {
        return new Metrics(context, metric -> metric.of == Of.ALL);
    }

    /** Creates the metrics of a cascade. */
    public static Metrics cascade(SparkContext context) {
        return new Metrics(context, metric -> metric.of != Of.CODED);
    }

    /** The counter of a metric; null if the prediction does not have it. */
    public SQLMetric get(Metric metric) {
        return metrics.get(metric);
    }

    /** Adds to a metric; does nothing for one that the prediction does not have. */
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
