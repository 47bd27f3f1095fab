/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import com.codahale.metrics.Gauge;
import io.paritas.spark.ec.store.CodingTotals;
import io.paritas.spark.ecrm.host.ServerTotals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** Paritas on an executor. */
public final class ExecutorSide implements ExecutorPlugin {
    private final List<ExecutorPlugin> members = new ArrayList<>();

    /** What a member's settings from the driver begin with on their way. */
    static String prefix(String member) {
        return member + ".";
    }

    @Override
    public void init(PluginContext plugin, Map<String, String> fromDriver) {
        plugin.metricRegistry().register("codedBytes", (Gauge<Long>) CodingTotals::bytes);
        plugin.metricRegistry().register("codingNanos", (Gauge<Long>) CodingTotals::nanos);
        ServerTotals.register(plugin.metricRegistry());
        Members.of(plugin.conf()).forEach((name, member) -> {
            ExecutorPlugin executor = member.executorPlugin();
            if (executor != null) {
                members.add(executor);
                executor.init(new MemberContext(name, plugin), settings(name, fromDriver));
            }
        });
    }

    private static Map<String, String> settings(String member, Map<String, String> fromDriver) {
        Map<String, String> settings = new HashMap<>();
        fromDriver.forEach((key, value) -> {
            if (key.startsWith(prefix(member))) {
                settings.put(key.substring(prefix(member).length()), value);
            }
        });
        return settings;
    }

    @Override
    public void onTaskStart() {
        Members.each(members, ExecutorPlugin::onTaskStart);
    }

    @Override
    public void onTaskSucceeded() {
        Members.each(members, ExecutorPlugin::onTaskSucceeded);
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
        Members.each(members, member -> member.onTaskFailed(reason));
    }

    @Override
    public void shutdown() {
        Members.each(members, ExecutorPlugin::shutdown);
    }
}
