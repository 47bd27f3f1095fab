/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import io.paritas.settings.SettingGroup;
import java.util.List;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;

/** A part of Paritas that the plugin starts where it is on the class path. Found by ServiceLoader. */
public interface Component {

    /** A name that no other component has, without a dot. It addresses messages and the driver's settings for executors. */
    String name();

    /** Its settings. Those that hold for an application cannot be changed in a session, and other names in their groups are warned of. */
    default List<SettingGroup> settings() {
        return List.of();
    }

    /** A new driver side. Its context sends messages to itself only. */
    default DriverPlugin driverSide() {
        return new DriverPlugin() {};
    }

    /** A new executor side. Its context sends messages to this component's driver side, from any thread. */
    default ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {};
    }
}
