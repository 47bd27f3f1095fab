/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.inference.spark.settings.AssignedGpu;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.task.ExecutorSide;
import io.paritas.settings.SettingGroup;
import io.paritas.spark.plugin.Component;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** Starts the coordinator of coded queries on the driver, connects the tasks of executors to it, and tells them of the executor's GPU. */
public final class CodedInferenceComponent implements Component {

    @Override
    public String name() {
        return "coded-inference";
    }

    @Override
    public List<SettingGroup> settings() {
        return CallSettings.groups();
    }

    @Override
    public DriverPlugin driverSide() {
        return new DriverPlugin() {
            private Coordinator coordinator;

            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                coordinator = Coordinator.start(spark);
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
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                AssignedGpu.executorHas(context.resources());
                ExecutorSide.start(context);
            }

            @Override
            public void shutdown() {
                ExecutorSide.stop();
            }
        };
    }
}
