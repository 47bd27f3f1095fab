/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.Role;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;

/**
 * The Spark job of one instance, which is started again whenever it ends. Spark itself starts a lost task again, but gives up a
 * job that lost several. Not thread-safe.
 */
final class Keeper {
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

    private final JavaSparkContext context;
    private final InstanceSpec spec;
    private final TaskResourceRequests resources;
    private JavaFutureAction<Void> job;
    private long startAt;
    private long startedAt;
    private long pause = FIRST_PAUSE;

    Keeper(JavaSparkContext context, InstanceSpec spec, ServingPlan plan) {
        this.context = context;
        this.spec = spec;
        this.resources = new TaskResourceRequests();
        if (plan.cpus() > 0) {
            resources.cpus(plan.cpus());
        }
        if (plan.gpus() > 0) {
            resources.resource("gpu", plan.gpus());
        }
    }

    Role role() {
        return spec.role();
    }

    /** Starts the job, if it does not run and is not too often started. */
    void keep() {
        long now = System.nanoTime();
        if (job != null && job.isDone()) {
            ended(now);
        }
        if (job == null && now >= startAt) {
            startedAt = now;
            job = start();
        }
    }

    private JavaFutureAction<Void> start() {
        context.setJobGroup("paritas-serving-" + spec.id(), "serves " + spec.id(), true);
        try {
            JavaRDD<Integer> place = context.parallelize(List.of(0), 1);
            boolean usual = resources.requestsJMap().isEmpty();
            return (usual
                            ? place
                            : place.withResources(new ResourceProfileBuilder()
                                    .require(resources)
                                    .build()))
                    .foreachPartitionAsync(new InstanceTask(spec));
        } finally {
            context.clearJobGroup();
        }
    }

    private void ended(long now) {
        String reason = reason();
        pause = now - startedAt > LONGEST_PAUSE ? FIRST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
        startAt = now + pause;
        job = null;
        LOG.log(
                System.Logger.Level.WARNING,
                "Paritas: the instance {0} is started again in {1} ms: {2}",
                spec.id(),
                TimeUnit.NANOSECONDS.toMillis(pause),
                reason);
    }

    private String reason() {
        try {
            job.get();
            return "it ended";
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause().getMessage()).lines().findFirst().orElse("");
        } catch (CancellationException e) {
            return "it was cancelled";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Ends the instance. */
    void stop() {
        if (job != null) {
            job.cancel(true);
        }
    }
}
