/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The parameter servers of a model, as tasks of this Spark application: each takes a slot until this is closed. When a server is
 * gone, a spare task takes its place, and the lost task is run again. Tasks are put on different executors as long as there are such with
 * a free slot, because those that are lost together cannot recover each other. Thread-safe.
 */
public final class ParameterServers implements AutoCloseable {
    private final JavaSparkContext spark;
    private final ModelSpec model;
    private final HostOptions options;
    private final EventLoop loop;
    private Coordinator coordinator;
    private ServerJobs jobs;

    private ParameterServers(
            JavaSparkContext spark, ModelSpec model, HostOptions options, Optional<Coordinator.Stored> checkpoint) {
        this.spark = spark;
        this.model = model;
        this.options = options;
        this.loop = new EventLoop("paritas-coordinator", options.timing(), own -> {
            jobs = new ServerJobs(spark, new ServerTask(model, options, own.endpoint()), options.tasks(model));
            coordinator = new Coordinator(model, options, checkpoint, own, jobs);
            return coordinator;
        });
    }

    /**
     * Starts servers, and waits until all are there.
     *
     * @param wait so many milliseconds at most
     * @throws IllegalStateException if they are not there by then
     */
    public static ParameterServers start(JavaSparkContext spark, ModelSpec model, HostOptions options, long wait)
            throws InterruptedException {
        return start(spark, model, options, wait, Optional.empty());
    }

    /**
     * Starts servers with the newest checkpoint of a folder, which other servers may have written, more or fewer, and with another
     * redundancy; and waits until they have read it.
     *
     * @param wait so many milliseconds at most
     * @param folder that {@link #checkpoint} wrote to
     * @throws IllegalArgumentException if there is no checkpoint in it, or one of another model
     * @throws IOException if it cannot be read, or is damaged
     * @throws IllegalStateException if servers are not there by then, or cannot read what they should
     */
    public static ParameterServers restore(
            JavaSparkContext spark, ModelSpec model, HostOptions options, long wait, String folder)
            throws IOException, InterruptedException {
        CheckpointFolder checkpoints = new CheckpointFolder(folder, spark.hadoopConfiguration());
        long newest = checkpoints
                .newest()
                .orElseThrow(() -> new IllegalArgumentException("There is no complete checkpoint in " + folder
                        + ": start without one, or name the folder that checkpoints were written to"));
        checkpoints.open(newest, model).close();
        return start(spark, model, options, wait, Optional.of(new Coordinator.Stored(folder, newest)));
    }

    private static ParameterServers start(
            JavaSparkContext spark,
            ModelSpec model,
            HostOptions options,
            long wait,
            Optional<Coordinator.Stored> checkpoint)
            throws InterruptedException {
        ParameterServers servers = new ParameterServers(spark, model, options, checkpoint);
        boolean started = false;
        try {
            servers.coordinator.started().get(wait, TimeUnit.MILLISECONDS);
            started = true;
            return servers;
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "Within " + wait + " ms there were not " + model.servers()
                            + " tasks at once: the application needs so many free slots, and " + options.spares()
                            + " more for spares",
                    e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        } finally {
            if (!started) {
                servers.close();
            }
        }
    }

    /**
     * Writes a checkpoint: rows, states of optimizers, versions and blocks, as they are between two iterations. While it is written,
     * parameters can be read, and updates wait. Where iterations are committed in one phase, those that are on their way may be in it in
     * part.
     *
     * @param folder of any file system that Hadoop knows; best used for the checkpoints of one model only
     * @param keep so many are kept, the newest ones, at least 1; what is older in the folder is deleted
     * @return its number, greater than those before
     * @throws IllegalStateException if a server fails meanwhile, or is being recovered; older checkpoints are left as they are
     */
    public synchronized long checkpoint(String folder, int keep) throws IOException, InterruptedException {
        if (keep < 1) {
            throw new IllegalArgumentException("At least 1 checkpoint is kept, but was given " + keep);
        }
        CheckpointFolder checkpoints = new CheckpointFolder(folder, spark.hadoopConfiguration());
        Coordinator.Stored next = new Coordinator.Stored(folder, checkpoints.begin());
        boolean complete = false;
        try {
            CompletableFuture<Void> written = new CompletableFuture<>();
            loop.execute(() -> coordinator.save(next, written, EventLoop.now()));
            written.get();
            checkpoints.commit(next.number(), model);
            complete = true;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        } finally {
            if (!complete) {
                checkpoints.abandon(next.number());
            }
        }
        loop.execute(() -> coordinator.saved(next));
        checkpoints.keep(keep);
        return next.number();
    }

    /** What a worker needs to connect. */
    public record Location(ModelSpec model, HostOptions options, String driver) implements Serializable {}

    public Location location() {
        return new Location(model, options, loop.endpoint());
    }

    /** Whether all servers are there, and none is being recovered. */
    public boolean isHealthy() {
        return coordinator.isHealthy();
    }

    /**
     * How far the recovery of a lost server is: the share of its rows and parities that its replacement has, from 0 (also while there is
     * none) to 1; of several, the least. 1 if all is recovered. It is as of some 100 ms ago.
     */
    public double recovered() {
        return coordinator.recovered();
    }

    /** The executors that servers are in, in the order of their numbers; without those that are gone. */
    public List<String> executors() {
        return coordinator.executors();
    }

    /** How many servers were replaced. */
    public int replaced() {
        return coordinator.replaced();
    }

    /** How often all servers went back to a checkpoint. */
    public int rollbacks() {
        return coordinator.rollbacks();
    }

    /** Ends the servers; what they keep is gone. */
    @Override
    public void close() {
        loop.close();
        jobs.close();
    }
}
