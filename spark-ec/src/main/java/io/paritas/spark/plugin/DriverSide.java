/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import io.paritas.settings.Scope;
import io.paritas.settings.SettingGroup;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.sql.internal.SQLConf$;
import scala.Tuple2;

/** The plugin on the driver. */
public final class DriverSide implements DriverPlugin {
    private final Map<String, DriverPlugin> components = Components.sides(Component::driverSide);
    private final List<SettingGroup> groups = Components.sides(Component::settings).values().stream()
            .flatMap(List::stream)
            .toList();

    /** Starts the components last: what has started does not stay if something else fails. */
    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
        UnknownSettings.warn(
                Arrays.stream(spark.conf().getAll()).map(Tuple2::_1).toList(), groups);
        fixForSessions();
        spark.ui().foreach(ui -> {
            StatusTab.attach(ui, this::reports);
            return null;
        });
        Map<String, String> settings = new HashMap<>();
        Components.start(
                components,
                (name, component) -> {
                    Map<String, String> own = component.init(spark, new ComponentContext(name, context));
                    if (own != null) {
                        own.forEach((key, value) -> settings.put(ExecutorSide.prefix(name) + key, value));
                    }
                },
                DriverPlugin::shutdown);
        return settings;
    }

    /** Has Spark refuse to change what holds for the application: nobody would read it again. */
    private void fixForSessions() {
        groups.stream()
                .flatMap(group -> group.all().stream())
                .filter(setting -> setting.scope() == Scope.APPLICATION)
                .forEach(setting -> SQLConf$.MODULE$.registerStaticConfigKey(setting.key()));
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
