/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.it.Await;
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

    /** Waits until all map outputs that are there survive the loss of their executor. */
    public static void awaitCoded() throws Exception {
        Await.until(
                "all map outputs are coded",
                () -> metric("codedOutputs") == metric("outputs") && metric("outputs") > 0,
                () -> metric("codedOutputs") + " of " + metric("outputs"));
    }
}
