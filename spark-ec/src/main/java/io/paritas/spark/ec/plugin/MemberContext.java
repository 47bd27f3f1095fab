/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/**
 * What Spark gives to the plugin that starts a member, for that member: its messages carry its name.
 *
 * @param member the name of its class
 */
record MemberContext(String member, PluginContext shared) implements PluginContext {

    @Override
    public MetricRegistry metricRegistry() {
        return shared.metricRegistry();
    }

    @Override
    public SparkConf conf() {
        return shared.conf();
    }

    @Override
    public String executorID() {
        return shared.executorID();
    }

    @Override
    public String hostname() {
        return shared.hostname();
    }

    @Override
    public Map<String, ResourceInformation> resources() {
        return shared.resources();
    }

    @Override
    public void send(Object message) throws IOException {
        shared.send(addressed(message));
    }

    @Override
    public Object ask(Object message) throws Exception {
        return shared.ask(addressed(message));
    }

    /** A class of the JDK: Spark's dispatchers need not know those of jars that were added later. */
    private Object addressed(Object message) {
        return new SimpleImmutableEntry<>(member, message);
    }
}
