/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where kernels are tried and warmed up: one at a time, so that this takes one processor at most. */
public final class BackgroundThread {
    private BackgroundThread() {}

    /** A daemon thread of that name while there is work. It keeps no application alive. */
    public static Executor named(String name) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(null, task, name, 0, false);
                    thread.setDaemon(true);
                    thread.setContextClassLoader(null);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
