/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where kernels are generated, tried and warmed up: one at a time, so that this takes one processor at most. */
public final class BackgroundThread {
    /** Tasks that wait; kernels come faster than they can be tried where the pattern of losses changes with each stripe. */
    private static final int MOST_WAITING = 64;

    private BackgroundThread() {}

    /**
     * A daemon thread of that name while there is work. It keeps no application alive. A task that would wait behind {@value
     * #MOST_WAITING} others is rejected.
     */
    public static Executor named(String name) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), task -> {
                    Thread thread = new Thread(null, task, name, 0, false);
                    thread.setDaemon(true);
                    thread.setContextClassLoader(null);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
