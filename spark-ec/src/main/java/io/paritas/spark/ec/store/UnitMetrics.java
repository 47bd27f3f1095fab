/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What befell the units of what is erasure-coded, counted by tasks; an SQL plan shows its own part.
 *
 * @param decoded partitions that were decoded from others of their stripes
 * @param decodedBytes their bytes
 * @param decodeNanos the time that took, fetching included
 * @param recomputed partitions that were made again from what they had been made of
 * @param damaged units whose bytes did not fit
 */
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

    /** As plans name them. */
    public Map<String, SQLMetric> named() {
        return Map.of(
                "partitionsDecoded", decoded,
                "bytesDecoded", decodedBytes,
                "decodeTime", decodeNanos,
                "partitionsRecomputed", recomputed,
                "damagedUnits", damaged);
    }
}
