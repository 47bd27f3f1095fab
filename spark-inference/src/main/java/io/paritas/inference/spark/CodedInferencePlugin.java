/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.inference.spark.task.ExecutorSide;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/** Coded inference, by one property: {@code spark.plugins=io.paritas.inference.spark.CodedInferencePlugin}. */
public final class CodedInferencePlugin implements SparkPlugin {

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            private Coordinator coordinator;

            @Override
            public Map<String, String> init(SparkContext context, PluginContext plugin) {
                coordinator = Coordinator.start(context);
                return Map.of();
            }

            @Override
            public Object receive(Object message) {
                return coordinator.receive(message);
            }

            @Override
            public void shutdown() {
                coordinator.close();
            }
        };
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext plugin, Map<String, String> fromDriver) {
                ExecutorSide.start(plugin);
            }

            @Override
            public void shutdown() {
                ExecutorSide.stop();
            }
        };
    }
}
