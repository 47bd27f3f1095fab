/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/**
 * The plugin's context as one component sees it: messages carry the component's name.
 *
 * @param component name of the component
 * @param shared the context that Spark gives to the plugin
 */
record ComponentContext(String component, PluginContext shared) implements PluginContext {

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
        shared.send(Envelope.of(component, message));
    }

    @Override
    public Object ask(Object message) throws Exception {
        return shared.ask(Envelope.of(component, message));
    }
}
