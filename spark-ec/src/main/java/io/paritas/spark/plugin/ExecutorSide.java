/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The plugin on an executor. */
public final class ExecutorSide implements ExecutorPlugin {
    private final Map<String, ExecutorPlugin> components = Components.sides(Component::executorSide);

    /** The prefix of a component's settings on their way from the driver. */
    static String prefix(String component) {
        return component + ".";
    }

    @Override
    public void init(PluginContext context, Map<String, String> fromDriver) {
        DriverEndpoint.resolve(context);
        Components.start(
                components,
                (name, component) -> component.init(new ComponentContext(name, context), settings(name, fromDriver)),
                ExecutorPlugin::shutdown);
    }

    private static Map<String, String> settings(String component, Map<String, String> fromDriver) {
        Map<String, String> settings = new HashMap<>();
        fromDriver.forEach((key, value) -> {
            if (key.startsWith(prefix(component))) {
                settings.put(key.substring(prefix(component).length()), value);
            }
        });
        return settings;
    }

    @Override
    public void onTaskStart() {
        Components.each(components.values(), ExecutorPlugin::onTaskStart);
    }

    @Override
    public void onTaskSucceeded() {
        Components.each(components.values(), ExecutorPlugin::onTaskSucceeded);
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
        Components.each(components.values(), component -> component.onTaskFailed(reason));
    }

    @Override
    public void shutdown() {
        Components.each(components.values(), ExecutorPlugin::shutdown);
    }
}
