/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import com.codahale.metrics.Gauge;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/** A plugin that {@link ParitasPlugin} finds. Writes down what it is told. */
public final class RecordingPlugin implements SparkPlugin {
    static final List<String> TOLD = new CopyOnWriteArrayList<>();

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            @Override
            public Map<String, String> init(SparkContext context, PluginContext plugin) {
                TOLD.add("driver starts");
                return Map.of("colour", "green");
            }

            @Override
            public void registerMetrics(String application, PluginContext plugin) {
                plugin.metricRegistry().register("recorded", (Gauge<Integer>) TOLD::size);
                TOLD.add("driver metrics");
            }

            @Override
            public Object receive(Object message) {
                TOLD.add("driver hears " + message);
                return message + ", heard";
            }

            @Override
            public void shutdown() {
                TOLD.add("driver ends");
            }
        };
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext plugin, Map<String, String> fromDriver) {
                TOLD.add("executor starts with " + fromDriver);
                try {
                    TOLD.add("executor hears " + plugin.ask("hello"));
                } catch (Exception e) {
                    TOLD.add(e.toString());
                }
            }

            @Override
            public void onTaskStart() {
                TOLD.add("task starts");
            }

            @Override
            public void onTaskSucceeded() {
                TOLD.add("task succeeds");
            }

            @Override
            public void onTaskFailed(TaskFailedReason reason) {
                TOLD.add("task fails");
            }

            @Override
            public void shutdown() {
                TOLD.add("executor ends");
            }
        };
    }
}
