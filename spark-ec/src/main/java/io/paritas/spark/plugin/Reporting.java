/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.List;
import org.apache.spark.api.plugin.DriverPlugin;

/** The driver side of a component that tells people what it does. */
public interface Reporting extends DriverPlugin {
    /** What it does now and has done. Called by threads of Spark's UI. */
    List<Report> reports();
}
