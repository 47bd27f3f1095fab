/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.Schedulable;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSetManager;
import scala.concurrent.Await;

/**
 * The tasks of some jobs, for cleaning up after them: Spark fails a job while others of its tasks still run, and an interrupted
 * thread leaves all of them behind. Asks Spark's scheduler, which has a job's tasks until each has ended or its executor is lost.
 * On the driver, for one thread at a time.
 */
public final class TaskGroup {
    private static final String TAGS = "spark.job.tags";
    private static final long PAUSE_MILLIS = 10;

    private final SparkContext context;
    private final String tag = "paritas-" + UUID.randomUUID();

    public TaskGroup(SparkContext context) {
        this.context = context;
    }

    /** Runs jobs; their tasks belong to this group. */
    public <R> R run(Supplier<R> jobs) {
        context.addJobTag(tag);
        try {
            return jobs.get();
        } finally {
            context.removeJobTag(tag);
        }
    }

    /**
     * Cancels the jobs, and waits for their tasks.
     *
     * @return whether all tasks have ended; a task whose executor is lost counts as ended, whatever that executor still does
     */
    public boolean end(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        if (!cancelled(timeout)) {
            return false;
        }
        while (isRunning()) {
            if (System.nanoTime() >= end) {
                return false;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        return true;
    }

    /** Cancels jobs that have not failed yet. After this, Spark starts no task of them. */
    private boolean cancelled(Duration timeout) throws InterruptedException {
        try {
            Await.ready(
                    context.cancelJobsWithTagWithFuture(tag, "the jobs are cancelled"),
                    scala.concurrent.duration.Duration.apply(timeout.toNanos(), TimeUnit.NANOSECONDS));
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (IllegalStateException e) {
            // The application has ended, and its executors end by themselves.
            return false;
        }
    }

    /** Holds the scheduler's lock: it fails a job before it marks the job's tasks as not to be started. */
    private boolean isRunning() {
        TaskScheduler scheduler = context.taskScheduler();
        synchronized (scheduler) {
            return has(scheduler.rootPool());
        }
    }

    /** Whether the tasks of a stage, or of a pool of stages, are of this group. */
    private boolean has(Schedulable schedulable) {
        if (schedulable instanceof TaskSetManager tasks) {
            return tasks.taskSet().properties() != null
                    && tasks.taskSet().properties().getProperty(TAGS, "").contains(tag);
        }
        return schedulable.schedulableQueue().stream().anyMatch(this::has);
    }
}
