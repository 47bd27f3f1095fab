/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.ec.settings.EcSettings;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;

/**
 * How units are read and repaired.
 *
 * @param fetchTimeout how long a task waits for a unit of another executor before it uses other units
 * @param repair whether units that are lost with executors are rebuilt in the background
 * @param repairDelay how long after the loss of an executor repair begins
 * @param repairInterval how often repair looks for missing units, whether or not Spark reports a lost executor
 * @param repairBytesPerSecond rebuilt bytes at most; 0 is no limit
 */
public record StoreSettings(
        Duration fetchTimeout,
        boolean repair,
        Duration repairDelay,
        Duration repairInterval,
        long repairBytesPerSecond) {

    /**
     * Reads the settings of an application.
     *
     * @throws IllegalArgumentException if a value is not allowed
     */
    public static StoreSettings of(SparkConf conf) {
        UnaryOperator<String> properties = key -> conf.get(key, null);
        return new StoreSettings(
                EcSettings.FETCH_TIMEOUT.get(properties),
                EcSettings.REPAIR.get(properties),
                EcSettings.REPAIR_DELAY.get(properties),
                EcSettings.REPAIR_INTERVAL.get(properties),
                EcSettings.REPAIR_RATE.get(properties));
    }
}
