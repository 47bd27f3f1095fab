/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.spark.job.DaemonThreads;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs actions on a thread of its own, now or later, so that they do not hold up Spark's threads. Thread-safe. */
final class DriverScheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DriverScheduler.class);

    private final ScheduledThreadPoolExecutor thread;

    DriverScheduler(String name) {
        thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.named(name));
        thread.setRemoveOnCancelPolicy(true);
    }

    void soon(Runnable action) {
        after(0, action);
    }

    /** Runs an action after so many nanoseconds; failures are logged. Does nothing once closed. */
    void after(long nanos, Runnable action) {
        try {
            var unused = thread.schedule(() -> logged(action), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("Paritas: the Spark context has ended", e);
        }
    }

    private static void logged(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) { // Spark throws checked ones that it does not declare; nobody else would hear of it.
            LOG.warn("Paritas: an action of the coordinator failed", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
