/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.DaemonThreads;
import io.paritas.spark.job.TaskGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** What is done after jobs have failed. */
final class Cleanup {
    /** How long to wait for the tasks of a failed job. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    private static final ThreadFactory THREADS = DaemonThreads.named("paritas-cleanup");

    private Cleanup() {}

    /**
     * Ends the tasks of failed jobs, which would store units later, and then cleans up. It does so on a thread of its own, and waits for
     * that: an interrupt of this thread ends neither, and stays set. What fails is suppressed by the failure of the jobs.
     *
     * @param failure of the jobs
     * @param cleanup is told whether all tasks have ended
     */
    static void after(TaskGroup tasks, Throwable failure, Consumer<Boolean> cleanup) {
        try {
            CompletableFuture.runAsync(() -> cleanup.accept(ended(tasks)), work -> THREADS.newThread(work)
                            .start())
                    .join();
        } catch (Throwable e) {
            Throwable again = e instanceof CompletionException ? e.getCause() : e;
            if (again != failure) {
                failure.addSuppressed(again);
            }
        }
    }

    private static boolean ended(TaskGroup tasks) {
        try {
            return tasks.end(END_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
