/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The plugin on the driver. */
public final class DriverSide implements DriverPlugin {
    private final Map<String, DriverPlugin> components = Components.sides(Component::driverSide);

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
        Map<String, String> settings = new HashMap<>();
        components.forEach((name, component) -> {
            Map<String, String> own = component.init(spark, new ComponentContext(name, context));
            if (own != null) {
                own.forEach((key, value) -> settings.put(ExecutorSide.prefix(name) + key, value));
            }
        });
        spark.ui().foreach(ui -> {
            StatusTab.attach(ui, this::reports);
            return null;
        });
        return settings;
    }

    private List<Report> reports() {
        return components.values().stream()
                .filter(Reporting.class::isInstance)
                .flatMap(component -> ((Reporting) component).reports().stream())
                .toList();
    }

    @Override
    public Object receive(Object envelope) throws Exception {
        if (Envelope.isEmpty(envelope)) {
            return null;
        }
        DriverPlugin component = components.get(Envelope.component(envelope));
        if (component == null) {
            throw new IllegalStateException("the driver must have the component " + Envelope.component(envelope)
                    + " of its executors: put the same jars of Paritas on both class paths");
        }
        return component.receive(Envelope.message(envelope));
    }

    @Override
    public void registerMetrics(String application, PluginContext context) {
        components.forEach(
                (name, component) -> component.registerMetrics(application, new ComponentContext(name, context)));
    }

    @Override
    public void shutdown() {
        Components.each(components.values(), DriverPlugin::shutdown);
    }
}
