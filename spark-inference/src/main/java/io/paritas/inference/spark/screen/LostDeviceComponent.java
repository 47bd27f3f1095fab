/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.ModelPool;
import io.paritas.spark.plugin.Component;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Replaces executors whose GPU is lost: all tasks that they get for it would fail, while a new process can use it again. */
public final class LostDeviceComponent implements Component {
    private static final Logger LOG = LoggerFactory.getLogger(LostDeviceComponent.class);

    @Override
    public String name() {
        return "lost-devices";
    }

    @Override
    public DriverPlugin driverSide() {
        return new DriverPlugin() {
            private Exclusion exclusion;

            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                exclusion = new Exclusion(spark);
                return Map.of();
            }

            @Override
            public Object receive(Object message) {
                return replaced(exclusion, LostDevice.Message.decode(message));
            }

            @Override
            public void shutdown() {
                exclusion.close();
            }
        };
    }

    /** Whether the executor will be ended. */
    private static boolean replaced(Exclusion exclusion, LostDevice.Message lost) {
        if (exclusion.isPossible() && exclusion.isDue(lost.executor())) {
            LOG.error(
                    "Paritas: executor {} on {} has lost its GPU, it is ended and another one is started: {}",
                    lost.executor(),
                    lost.host(),
                    lost.reason());
            exclusion.replace(lost.executor());
        }
        return exclusion.isPossible();
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                ModelPool.whenDeviceIsLost(new LostDevice(context));
            }

            @Override
            public void shutdown() {
                ModelPool.whenDeviceIsLost(loss -> {});
            }
        };
    }
}
