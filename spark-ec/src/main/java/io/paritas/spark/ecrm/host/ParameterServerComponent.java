/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.settings.SettingGroup;
import io.paritas.spark.ecrm.EcrmSettings;
import io.paritas.spark.plugin.Component;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** Publishes the metrics {@code ecrm.*} of executors. */
public final class ParameterServerComponent implements Component {

    @Override
    public String name() {
        return "parameter-servers";
    }

    @Override
    public List<SettingGroup> settings() {
        return List.of(EcrmSettings.GROUP);
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                ServerTotals.register(context.metricRegistry());
            }
        };
    }
}
