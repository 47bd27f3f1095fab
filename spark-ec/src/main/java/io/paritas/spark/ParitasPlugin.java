/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark;

import io.paritas.PublicApi;
import io.paritas.spark.plugin.DriverSide;
import io.paritas.spark.plugin.ExecutorSide;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * All of Paritas in a Spark application, by one property: {@code spark.plugins=io.paritas.spark.ParitasPlugin}. It starts every
 * component of Paritas on the class path: erasure-coded data, parameter servers, coded inference.
 *
 * <p>Sessions get the catalog {@code paritas} with the procedures {@code persist}, {@code unpersist} and {@code health}, unless
 * {@code spark.sql.catalog.paritas} names another catalog. Executors publish the metrics {@code codedBytes} and {@code
 * codingNanos} (with {@code executor.cpuTime}: the share of time spent coding), and {@code ecrm.*} for parameter servers. Stateless.
 */
@PublicApi
public final class ParitasPlugin implements SparkPlugin {

    /** Creates the plugin; Spark does so by name. */
    public ParitasPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverSide();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorSide();
    }
}
