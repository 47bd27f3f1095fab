/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.time.Duration;

/**
 * How units are read and repaired.
 *
 * @param patience how long a task waits for a unit of another executor before it looks for other units
 * @param repair whether what executors take along is made again in the background
 * @param repairDelay how long after an executor is gone
 * @param repairInterval how often somebody looks, whatever was heard
 * @param repairBytesPerSecond at most; 0 is no limit
 */
public record Terms(
        Duration patience, boolean repair, Duration repairDelay, Duration repairInterval, long repairBytesPerSecond) {}
