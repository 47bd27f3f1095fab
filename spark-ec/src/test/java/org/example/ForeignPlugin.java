/* SPDX-License-Identifier: Apache-2.0 */
package org.example;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** A plugin on the class path that is none of Paritas, and that nobody asked for. */
public final class ForeignPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        throw new AssertionError("nobody named it");
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        throw new AssertionError("nobody named it");
    }
}
