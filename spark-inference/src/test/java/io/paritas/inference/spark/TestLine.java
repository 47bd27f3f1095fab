/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** An executor's line to a driver that a test plays. */
public abstract class TestLine implements PluginContext {
    private final String executor;

    /** @param executor its id */
    protected TestLine(String executor) {
        this.executor = executor;
    }

    @Override
    public final MetricRegistry metricRegistry() {
        return new MetricRegistry();
    }

    @Override
    public final SparkConf conf() {
        return new SparkConf(false);
    }

    @Override
    public final String executorID() {
        return executor;
    }

    @Override
    public final String hostname() {
        return "localhost";
    }

    @Override
    public final Map<String, ResourceInformation> resources() {
        return Map.of();
    }
}
