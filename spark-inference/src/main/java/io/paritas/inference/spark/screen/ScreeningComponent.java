/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.settings.SettingGroup;
import io.paritas.spark.plugin.Component;
import io.paritas.spark.plugin.Report;
import io.paritas.spark.plugin.Reporting;
import java.util.ArrayList;
import java.util.List;
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
    public List<SettingGroup> settings() {
        return List.of(ScreenSettings.GROUP);
    }

    @Override
    public DriverPlugin driverSide() {
        return new Driver();
    }

    private static final class Driver implements Reporting {
        private SparkContext spark;
        private DriverScreening screening;

        @Override
        public Map<String, String> init(SparkContext spark, PluginContext context) {
            this.spark = spark;
            ScreenSettings settings = ScreenSettings.of(spark.conf());
            if (settings.isOn()) {
                screening = new DriverScreening(spark, settings);
                screening.install();
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
        public List<Report> reports() {
            List<Report> reports = new ArrayList<>(screening == null ? List.of() : screening.reports());
            reports.addAll(LastExecutorScreen.reports(spark.applicationId()));
            return reports;
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
