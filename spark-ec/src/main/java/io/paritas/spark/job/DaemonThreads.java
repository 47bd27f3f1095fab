/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads that many callers share. They take over nothing from the caller that happens to start them: a thread inherits the
 * session that is active in its parent, and its class loader, and would keep both for as long as it lives.
 */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** Threads that all have that name. */
    public static ThreadFactory named(String name) {
        return task -> daemon(task, name);
    }

    /** Threads with a number after that name: {@code name-1}, {@code name-2}. */
    public static ThreadFactory numbered(String name) {
        AtomicInteger numbers = new AtomicInteger();
        return task -> daemon(task, name + "-" + numbers.incrementAndGet());
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }
}
