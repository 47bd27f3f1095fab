/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import io.paritas.spark.ec.catalog.ParitasCatalog;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/** Paritas on the driver. */
public final class DriverSide implements DriverPlugin {
    private static final String CATALOG = "spark.sql.catalog.paritas";

    private final Map<String, DriverPlugin> members = new TreeMap<>();

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        context.conf().setIfMissing(CATALOG, ParitasCatalog.class.getName());
        Map<String, String> settings = new HashMap<>();
        for (Map.Entry<String, SparkPlugin> member : Members.of(plugin.conf()).entrySet()) {
            String name = member.getKey();
            DriverPlugin driver = member.getValue().driverPlugin();
            if (driver != null) {
                members.put(name, driver);
                Map<String, String> own = driver.init(context, new MemberContext(name, plugin));
                if (own != null) {
                    own.forEach((key, value) -> settings.put(ExecutorSide.prefix(name) + key, value));
                }
            }
        }
        return settings;
    }

    @Override
    public Object receive(Object message) throws Exception {
        Map.Entry<?, ?> addressed = (Map.Entry<?, ?>) message;
        return members.get((String) addressed.getKey()).receive(addressed.getValue());
    }

    @Override
    public void registerMetrics(String application, PluginContext plugin) {
        members.forEach((name, member) -> member.registerMetrics(application, new MemberContext(name, plugin)));
    }

    @Override
    public void shutdown() {
        Members.each(members.values(), DriverPlugin::shutdown);
    }
}
