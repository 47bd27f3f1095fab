/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.spark.job.DaemonThreads;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Calls that wait, for callers that must not. */
final class Background {
    private Background() {}

    /** Calls on a daemon thread of that name, which ends with the call. */
    static <T> CompletableFuture<T> call(String name, Callable<T> work) {
        return call(task -> start(name, task), work);
    }

    /** At most so many daemon threads of that name, which end when they have nothing to do. */
    static ExecutorService few(String name, int most) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DaemonThreads.named(name));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Calls on a thread. If there is none, that is the failure of the call. */
    static <T> CompletableFuture<T> call(Executor thread, Callable<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    done.complete(work.call());
                } catch (Throwable e) { // whatever it is, somebody waits
                    done.completeExceptionally(e);
                }
            });
        } catch (Throwable e) { // as where the system has no thread left
            done.completeExceptionally(e);
        }
        return done;
    }
}
