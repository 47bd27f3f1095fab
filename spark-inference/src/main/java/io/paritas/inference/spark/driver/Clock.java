/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread for what must not hold up Spark's own, now or later. Thread-safe. */
final class Clock implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Clock.class.getName());

    private final ScheduledThreadPoolExecutor thread;

    Clock(String name) {
        thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread daemon = new Thread(task, name);
            daemon.setDaemon(true);
            return daemon;
        });
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
            LOG.log(System.Logger.Level.DEBUG, "Paritas: the Spark context has ended", e);
        }
    }

    private static void logged(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Paritas: a late task could not be dealt with", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
