/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.spark.plugin.Component;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** Starts screening where {@code spark.paritas.screen} asks for it. */
public final class ScreeningComponent implements Component {

    @Override
    public String name() {
        return "screening";
    }

    @Override
    public DriverPlugin driverSide() {
        return new DriverPlugin() {
            private DriverScreening screening;

            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                ScreenSettings settings = ScreenSettings.of(spark.conf());
                if (settings.isOn()) {
                    screening = new DriverScreening(spark, settings);
                }
                return Map.of();
            }

            @Override
            public void registerMetrics(String application, PluginContext context) {
                if (screening != null) {
                    screening.register(context.metricRegistry());
                }
            }

            @Override
            public Object receive(Object message) {
                return screening == null ? null : screening.receive(ScreenMessage.decode(message));
            }

            @Override
            public void shutdown() {
                if (screening != null) {
                    screening.close();
                }
            }
        };
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            private ExecutorScreening screening;

            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                ScreenSettings settings = ScreenSettings.of(context.conf());
                if (settings.isOn()) {
                    screening = ExecutorScreening.start(context, settings);
                }
            }

            @Override
            public void shutdown() {
                if (screening != null) {
                    screening.close();
                }
            }
        };
    }
}
