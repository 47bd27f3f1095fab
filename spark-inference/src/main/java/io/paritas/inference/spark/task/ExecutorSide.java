/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelPool;
import io.paritas.spark.job.DaemonThreads;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.api.plugin.PluginContext;

/** What the tasks of an executor share: the plugin's context, and the threads of the models. Thread-safe. */
public final class ExecutorSide {
    private static final ExecutorService ENGINE =
            Executors.newCachedThreadPool(DaemonThreads.numbered("paritas-inference"));
    private static volatile PluginContext plugin;

    private ExecutorSide() {}

    /** Takes the context when the executor's plugin starts. */
    public static void start(PluginContext context) {
        plugin = context;
    }

    /** Frees the models when the executor ends. */
    public static void stop() {
        plugin = null;
        ModelPool.shared().close();
    }

    /** The plugin's context, which reaches the driver; empty where the plugin is not configured. */
    static Optional<PluginContext> plugin() {
        return Optional.ofNullable(plugin);
    }

    /** Threads for native code, which cannot be interrupted; the task's own thread stays interruptible. */
    static ExecutorService engine() {
        return ENGINE;
    }
}
