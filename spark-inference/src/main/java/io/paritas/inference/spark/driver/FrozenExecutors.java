/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.time.Duration;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RemoveExecutor;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import scala.Option;

/**
 * Gives up executors that do not acknowledge that a task of theirs is killed: a frozen JVM or a cut network, which Spark
 * itself would notice after minutes of missing heartbeats. Their tasks and blocks go with them, so this is off unless a
 * timeout is set, happens at most once in an interval, and never to the last executor.
 */
final class FrozenExecutors {
    private static final System.Logger LOG = System.getLogger(FrozenExecutors.class.getName());

    private final SparkContext context;
    private final Clock clock;
    private final Duration timeout;
    private final Duration interval;
    private long lastAt;
    private boolean any;

    FrozenExecutors(SparkContext context, Clock clock, Duration timeout, Duration interval) {
        this.context = context;
        this.clock = clock;
        this.timeout = timeout;
        this.interval = interval;
    }

    /** Where a task runs; empty if it is over, or if this context has no executors. */
    Optional<String> executorOf(long task) {
        if (!(context.taskScheduler() instanceof TaskSchedulerImpl scheduler)) {
            return Optional.empty();
        }
        synchronized (scheduler) { // as whoever writes the map does
            return Optional.ofNullable(scheduler.taskIdToExecutorId().getOrElse(task, () -> null));
        }
    }

    /** Looks, after the timeout, whether a killed task is over. */
    void watch(long task, String executor) {
        if (!timeout.isZero() && context.schedulerBackend() instanceof CoarseGrainedSchedulerBackend backend) {
            clock.after(timeout.toNanos(), () -> look(task, executor, backend));
        }
    }

    private void look(long task, String executor, CoarseGrainedSchedulerBackend backend) {
        long now = System.nanoTime();
        boolean allowed = !any || now - lastAt >= interval.toNanos();
        if (executorOf(task).isEmpty() || backend.getExecutorIds().size() < 2) {
            return;
        }
        if (!allowed) {
            clock.after(timeout.toNanos(), () -> look(task, executor, backend));
            return;
        }
        any = true;
        lastAt = now;
        LOG.log(
                System.Logger.Level.WARNING,
                "Paritas: executor {0} did not acknowledge within {1} ms that task {2} is killed: giving it up",
                executor,
                timeout.toMillis(),
                task);
        context.killAndReplaceExecutor(executor);
        backend.driverEndpoint()
                .send(new RemoveExecutor(
                        executor, new ExecutorProcessLost("did not acknowledge a task kill", Option.empty(), false)));
    }
}
