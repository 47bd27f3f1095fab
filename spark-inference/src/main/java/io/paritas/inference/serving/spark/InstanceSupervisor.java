/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.spark.Rollout.Part;
import io.paritas.inference.spark.settings.TaskProfile;
import io.paritas.spark.job.PlacedTasks;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one instance or spare running. Its Spark job starts again whenever it ends, on an executor without another instance if there is
 * one. Spark itself would start a lost task again, but anywhere, and gives up a job that lost several. Not thread-safe.
 */
final class InstanceSupervisor {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceSupervisor.class);
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

    private final JavaSparkContext context;
    private final InstanceSpec spec;
    private final ResourceProfile resources;
    private final Placement placement;
    private final SeenStages seen;
    private JavaFutureAction<Void> job;
    private long startAt = System.nanoTime();
    private long startedAt;
    private long pause = FIRST_PAUSE;
    private boolean kept;

    /** An instance that does not run before it is restored. */
    InstanceSupervisor(
            JavaSparkContext context, InstanceSpec spec, ServingPlan plan, Placement placement, SeenStages seen) {
        this.context = context;
        this.placement = placement;
        this.seen = seen;
        this.spec = spec;
        this.resources = TaskProfile.of(context.sc(), plan.cpus(), plan.gpus());
    }

    String id() {
        return spec.id();
    }

    /** Whether it is a spare, which has all roles. */
    boolean isSpare() {
        return spec.duty() == InstanceSpec.Duty.STAND_BY;
    }

    /** Whether it is an instance of a role. */
    boolean isOf(Part part) {
        return !isSpare() && spec.models().keySet().stream().allMatch(role -> Part.of(role) == part);
    }

    /** Starts the job if it does not run and its pause is over. If it cannot be started, there is a pause, too. */
    void keep() {
        if (!kept) {
            return;
        }
        long now = System.nanoTime();
        if (job != null && job.isDone()) {
            ended(now);
        }
        if (job == null && now >= startAt) {
            boolean shared = context.sc().isLocal() || placement.mayShare(startAt, now);
            Optional<Placement.Executor> executor =
                    shared ? placement.choose(spec.id()) : placement.chooseFree(spec.id());
            if (executor.isPresent() || shared) {
                startedAt = now;
                warnOfOthers(executor);
                try {
                    job = start(executor.map(Placement.Executor::location)
                            .map(List::of)
                            .orElse(List.of()));
                } catch (Throwable e) { // also what Spark does not declare
                    pause(now);
                    throw e;
                }
            }
        }
    }

    private void warnOfOthers(Optional<Placement.Executor> executor) {
        List<String> others = placement.beside(spec.id());
        if (executor.isPresent() && !others.isEmpty()) {
            LOG.warn(
                    "Paritas: the instance {} starts on executor {}, where {} of the same model are: they are slow or lost"
                            + " together; give the application an executor for each",
                    spec.id(),
                    executor.get().id(),
                    others);
        }
    }

    private JavaFutureAction<Void> start(List<String> locations) {
        context.setJobGroup("paritas-serving-" + spec.id(), "serves " + spec.id(), true);
        try {
            JavaRDD<String> place = PlacedTasks.of(context.sc(), spec.id(), locations);
            return (isUsual() ? place : place.withResources(resources)).foreachPartitionAsync(new InstanceTask(spec));
        } finally {
            context.clearJobGroup();
        }
    }

    private boolean isUsual() {
        return resources.id() == ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID();
    }

    private void ended(long now) {
        String reason = reason();
        pause(now);
        job = null;
        LOG.warn(
                "Paritas: the instance {} starts again in {} ms: {}",
                spec.id(),
                TimeUnit.NANOSECONDS.toMillis(pause),
                reason);
    }

    /** The next start is after a pause, which is longer each time unless the instance has run for a while. */
    private void pause(long now) {
        pause = now - startedAt > LONGEST_PAUSE ? FIRST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
        startAt = now + pause;
    }

    private String reason() {
        try {
            job.get(); // also after a failure: the next attempt of its task ends at once
            return stages().mapToObj(seen::failure)
                    .flatMap(Optional::stream)
                    .findFirst()
                    .map(InstanceSupervisor::firstLine)
                    .orElse("it ended");
        } catch (ExecutionException e) {
            return firstLine(String.valueOf(e.getCause().getMessage()));
        } catch (CancellationException e) {
            return "it was cancelled";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }

    /** How many tasks like it the application's executors have room for; the most that there are if that may grow. */
    long slots() {
        return context.getConf().getBoolean("spark.dynamicAllocation.enabled", false)
                ? Integer.MAX_VALUE
                : context.sc().maxNumConcurrentTasks(resources);
    }

    /** Whether its task has waited for a slot for longer than that and got none. One that ended, and starts again, had one. */
    boolean waitsForSlot(long nanos) {
        return job != null && System.nanoTime() - startedAt > nanos && stages().noneMatch(seen::hasStarted);
    }

    private IntStream stages() {
        return job.jobIds().stream()
                .map(context.statusTracker()::getJobInfo)
                .filter(Objects::nonNull)
                .flatMapToInt(info -> Arrays.stream(info.stageIds()));
    }

    /** Whether it is started again when it ends. */
    boolean isKept() {
        return kept;
    }

    /** Ends the instance, until it is restored. */
    void stop() {
        kept = false;
        placement.forget(spec.id());
        if (job != null) {
            job.cancel(true);
            job = null;
        }
    }

    /** Lets the instance start, again if it was ended. */
    void restore() {
        kept = true;
        startAt = System.nanoTime();
    }
}
