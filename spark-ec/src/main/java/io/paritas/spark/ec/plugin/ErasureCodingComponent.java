/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import com.codahale.metrics.Gauge;
import io.paritas.settings.SettingGroup;
import io.paritas.spark.ec.catalog.ParitasCatalog;
import io.paritas.spark.ec.settings.EcSettings;
import io.paritas.spark.ec.store.CodingTotals;
import io.paritas.spark.ec.store.KeptRowsReport;
import io.paritas.spark.ec.store.StoreSettings;
import io.paritas.spark.plugin.Component;
import io.paritas.spark.plugin.Report;
import io.paritas.spark.plugin.Reporting;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * Gives sessions the catalog {@code paritas}, and executors the metrics {@code codedBytes} and {@code codingNanos}. Has those that are
 * decommissioned give their blocks away.
 */
public final class ErasureCodingComponent implements Component {
    private static final String CATALOG = "spark.sql.catalog.paritas";

    @Override
    public String name() {
        return "erasure-coding";
    }

    @Override
    public List<SettingGroup> settings() {
        return List.of(EcSettings.GROUP);
    }

    @Override
    public DriverPlugin driverSide() {
        return new Reporting() {
            private SparkContext spark;

            @Override
            public Map<String, String> init(SparkContext context, PluginContext plugin) {
                spark = context;
                StoreSettings.of(spark.conf()); // so that a wrong value ends the application when it starts
                spark.conf().setIfMissing(CATALOG, ParitasCatalog.class.getName());
                giveAway(spark.conf());
                return Map.of();
            }

            /** An executor that is decommissioned does not leave before others have its units, and its files of coded shuffles. */
            private void giveAway(SparkConf conf) {
                if (conf.getBoolean("spark.decommission.enabled", false)) {
                    conf.setIfMissing("spark.storage.decommission.enabled", "true");
                }
            }

            @Override
            public List<Report> reports() {
                return KeptRowsReport.of(spark);
            }
        };
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                context.metricRegistry().register("codedBytes", (Gauge<Long>) CodingTotals::bytes);
                context.metricRegistry().register("codingNanos", (Gauge<Long>) CodingTotals::nanos);
            }
        };
    }
}
