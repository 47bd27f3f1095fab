/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.spark.ParitasPlugin;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import scala.jdk.javaapi.CollectionConverters;

/** What the driver counts of coded shuffles. */
public final class ShuffleMetrics {
    private ShuffleMetrics() {}

    /** A metric of the driver's, without its prefix. */
    public static long metric(String name) {
        Source plugin = CollectionConverters.asJava(
                        SparkEnv.get().metricsSystem().getSourcesByName("plugin." + ParitasPlugin.class.getName()))
                .get(0);
        return ((Number) plugin.metricRegistry()
                        .getGauges()
                        .get("shuffle." + name)
                        .getValue())
                .longValue();
    }
}
