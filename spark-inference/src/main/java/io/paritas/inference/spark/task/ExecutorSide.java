/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelPool;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.plugin.PluginContext;

/** What the tasks of an executor share: the line to the driver, and the threads that models run on. Thread-safe. */
public final class ExecutorSide {
    private static final AtomicInteger THREADS = new AtomicInteger();
    private static final ExecutorService ENGINE = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "paritas-inference-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    });
    private static volatile PluginContext plugin;

    private ExecutorSide() {}

    /** The executor's plugin starts. */
    public static void start(PluginContext context) {
        plugin = context;
    }

    /** The executor ends: frees the models. */
    public static void stop() {
        plugin = null;
        ModelPool.shared().close();
    }

    /** The line to the driver; empty where the plugin is not configured. */
    static Optional<PluginContext> plugin() {
        return Optional.ofNullable(plugin);
    }

    /** Threads that run native code, which cannot be interrupted, in the place of a task's own, which must be. */
    static ExecutorService engine() {
        return ENGINE;
    }
}
