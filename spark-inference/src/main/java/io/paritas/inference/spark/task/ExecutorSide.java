/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelPool;
import io.paritas.spark.job.DaemonThreads;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.plugin.PluginContext;

/** What the tasks of an executor share: the plugin's context, and the threads of the models. Thread-safe. */
public final class ExecutorSide {
    private static final ExecutorService ENGINE = threads(DaemonThreads.numbered("paritas-inference"));
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

    /**
     * As many threads as there is work, as of a cached pool. Where the system has none left, the work is refused. Spark ends an executor
     * whose task fails by an OutOfMemoryError, also where that is a cause: so the refusal has none.
     */
    static ExecutorService threads(ThreadFactory factory) {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), factory) {
            @Override
            public void execute(Runnable work) {
                try {
                    super.execute(work);
                } catch (OutOfMemoryError e) {
                    throw new ModelException(
                            "a model must have a thread, and the system gives this executor none (" + e.getMessage()
                                    + "): raise the limit of processes of the user (ulimit -u) or of the container");
                }
            }
        };
    }

    /** Threads for native code, which cannot be interrupted; the task's own thread stays interruptible. */
    static ExecutorService engine() {
        return ENGINE;
    }
}
