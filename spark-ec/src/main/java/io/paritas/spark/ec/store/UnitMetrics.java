/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What tasks did to read an erasure-coded Dataset or RDD. The plan of a query shows the query's own part.
 *
 * @param decoded partitions that were decoded from others of their stripes
 * @param decodedBytes bytes of these partitions
 * @param decodeNanos time to decode them in nanoseconds, fetching included
 * @param recomputed partitions that were computed from their lineage
 * @param damaged units with wrong bytes
 */
@PublicApi
public record UnitMetrics(
        SQLMetric decoded, SQLMetric decodedBytes, SQLMetric decodeNanos, SQLMetric recomputed, SQLMetric damaged)
        implements Serializable {

    static UnitMetrics of(SparkContext context) {
        return new UnitMetrics(
                SQLMetrics.createMetric(context, "partitions decoded"),
                SQLMetrics.createSizeMetric(context, "bytes decoded", -1),
                SQLMetrics.createNanoTimingMetric(context, "time to decode", -1),
                SQLMetrics.createMetric(context, "partitions recomputed"),
                SQLMetrics.createMetric(context, "damaged units"));
    }

    /** The metrics by their names in plans. */
    public Map<String, SQLMetric> named() {
        return Map.of(
                "partitionsDecoded", decoded,
                "bytesDecoded", decodedBytes,
                "decodeTime", decodeNanos,
                "partitionsRecomputed", recomputed,
                "damagedUnits", damaged);
    }
}
