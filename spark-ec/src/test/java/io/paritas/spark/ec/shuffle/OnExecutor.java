/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** What an executor's plugin gets of Spark, whose driver a test plays. */
interface OnExecutor extends PluginContext {
    @Override
    default MetricRegistry metricRegistry() {
        return new MetricRegistry();
    }

    @Override
    default SparkConf conf() {
        return new SparkConf(false);
    }

    @Override
    default String executorID() {
        return "3";
    }

    @Override
    default String hostname() {
        return "host3";
    }

    @Override
    default Map<String, ResourceInformation> resources() {
        return Map.of();
    }
}
