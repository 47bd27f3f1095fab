/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.spark.ec.plugin.DriverSide;
import io.paritas.spark.ec.plugin.ExecutorSide;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * All of Paritas on a Spark application, by one property: {@code spark.plugins=io.paritas.spark.ec.ParitasPlugin}.
 *
 * <p>Sessions get the catalog {@code paritas} with the procedures {@code persist}, {@code unpersist} and {@code health}, unless
 * {@code spark.sql.catalog.paritas} says something else. Executors publish the metrics {@code codedBytes} and
 * {@code codingNanos}: with {@code executor.cpuTime}, the share of coding; and what parameter servers in them do, {@code ecrm.*}. Every other plugin of Paritas that is on the class
 * path is started too, unless {@code spark.plugins} names it.
 */
public final class ParitasPlugin implements SparkPlugin {

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverSide();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorSide();
    }
}
