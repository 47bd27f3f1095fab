/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.PublicApi;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.job.PlacedTasks;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parameter servers of a model, as tasks of this Spark application. Each task takes a slot until {@link #close}.
 * When a server fails, a spare task takes its place, and the failed task is started again. Tasks run on different
 * executors as long as there are executors with a free slot, because servers of one executor fail together and cannot
 * recover each other. Thread-safe.
 */
@PublicApi
public final class ParameterServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ParameterServers.class);

    private final JavaSparkContext spark;
    private final ModelSpec model;
    private final HostOptions options;
    private final EventLoop loop;
    private ServerSupervisor supervisor;
    private ServerJobs jobs;
    /** Number of the last checkpoint that was begun. */
    private long begun;

    private ParameterServers(
            JavaSparkContext spark,
            ModelSpec model,
            HostOptions options,
            Optional<ServerSupervisor.StoredCheckpoint> checkpoint) {
        this.spark = spark;
        this.model = model;
        this.options = options;
        this.loop = new EventLoop("paritas-supervisor", options.timing(), own -> {
            ServerTask task = new ServerTask(
                    model, options, new SerializableConfiguration(spark.hadoopConfiguration()), own.endpoint());
            jobs = new ServerJobs(spark, task, options.tasks(model));
            supervisor = new ServerSupervisor(model, options, checkpoint, own, jobs);
            return supervisor;
        });
    }

    /**
     * Starts the servers of a model and waits until all are up.
     *
     * @param options how they run; {@link HostOptions#of} reads them from Spark's settings
     * @param timeout longest wait
     * @throws IllegalArgumentException if Spark is set to start copies of tasks by their duration
     * @throws IllegalStateException if they are not up within the timeout
     */
    public static ParameterServers start(JavaSparkContext spark, ModelSpec model, HostOptions options, Duration timeout)
            throws InterruptedException {
        return start(spark, model, options, timeout, Optional.empty());
    }

    /**
     * Starts the servers of a model from the newest checkpoint in a folder, and waits until they have read it. The
     * checkpoint may be from another number of servers and another redundancy.
     *
     * @param options how they run; {@link HostOptions#of} reads them from Spark's settings
     * @param timeout longest wait
     * @param folder that {@link #checkpoint} wrote to
     * @throws IllegalArgumentException if the folder has no complete checkpoint, or one of another model, or Spark is set to start
     *     copies of tasks by their duration
     * @throws IOException if the checkpoint cannot be read or is damaged
     * @throws IllegalStateException if the servers are not up within the timeout, or cannot read the checkpoint
     */
    public static ParameterServers restore(
            JavaSparkContext spark, ModelSpec model, HostOptions options, Duration timeout, String folder)
            throws IOException, InterruptedException {
        CheckpointFolder checkpoints = new CheckpointFolder(folder, spark.hadoopConfiguration());
        long newest = checkpoints.requireNewest();
        checkpoints.open(newest, model).close();
        return start(
                spark, model, options, timeout, Optional.of(new ServerSupervisor.StoredCheckpoint(folder, newest)));
    }

    private static ParameterServers start(
            JavaSparkContext spark,
            ModelSpec model,
            HostOptions options,
            Duration timeout,
            Optional<ServerSupervisor.StoredCheckpoint> checkpoint)
            throws InterruptedException {
        PlacedTasks.requireNoCopies(spark.getConf());
        ParameterServers servers = new ParameterServers(spark, model, options, checkpoint);
        boolean started = false;
        try {
            servers.supervisor.started().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            started = true;
            return servers;
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "servers must be up within " + timeout.toMillis() + " ms: "
                            + servers.progress().missing(),
                    e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        } finally {
            if (!started) {
                servers.close();
            }
        }
    }

    private StartProgress progress() throws InterruptedException {
        return loop.<StartProgress>ask(answer -> answer.complete(supervisor.progress()))
                .join();
    }

    /**
     * Checks that {@link #checkpoint} can write to a folder, with a task on each executor: before a work that relies on checkpoints.
     * Leaves nothing there.
     *
     * @param folder as of {@link #checkpoint}
     * @throws IOException if the driver or an executor cannot write there, or they do not share the folder; or as the file system throws
     *     it if this thread is interrupted, which says nothing about the folder
     */
    public static void requireWritable(JavaSparkContext spark, String folder) throws IOException {
        FolderProbe.run(spark, folder);
    }

    /**
     * Writes a checkpoint: rows, optimizer states, versions and blocks, as they are between two iterations. Meanwhile
     * parameters can be read, and updates wait. With one-phase commit, the last iteration of a worker that died may be
     * included in part.
     *
     * @param folder in any file system that Hadoop knows, which the driver and all executors share; use one for each
     *     model
     * @param keep number of newest checkpoints to keep, at least 1; older ones in the folder are deleted. What
     *     cannot be deleted is logged, and tried again with the next checkpoint
     * @return the number of the checkpoint, greater than those before
     * @throws IOException if the driver or a server cannot write to the folder, or a server has lost rows or blocks for
     *     good
     * @throws IllegalArgumentException if keep is less than 1
     * @throws IllegalStateException if a server fails meanwhile, or is still recovering; earlier checkpoints are
     *     unchanged
     */
    public synchronized long checkpoint(String folder, int keep) throws IOException, InterruptedException {
        if (keep < 1) {
            throw new IllegalArgumentException("checkpoints to keep must be at least 1, got " + keep);
        }
        CheckpointFolder checkpoints = new CheckpointFolder(folder, spark.hadoopConfiguration());
        ServerSupervisor.StoredCheckpoint next =
                new ServerSupervisor.StoredCheckpoint(folder, checkpoints.begin(begun));
        begun = next.number();
        boolean complete = false;
        try {
            loop.<Void>ask(answer -> supervisor.save(next, answer, EventLoop.now()))
                    .get();
            checkpoints.commit(next.number(), model);
            complete = true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException) {
                throw new IOException(e.getCause().getMessage(), e);
            }
            throw new IllegalStateException(e.getCause().getMessage(), e);
        } finally {
            if (!complete) {
                abandon(checkpoints, next);
            }
        }
        loop.execute(() -> supervisor.saved(next, EventLoop.now()));
        try {
            checkpoints.keep(keep);
        } catch (IOException e) {
            LOG.warn("Old checkpoints of {} stay until the next one, because they cannot be deleted", folder, e);
        }
        return next.number();
    }

    /** Deletes a checkpoint that is not complete. If that fails, only the log says so: why it is not complete matters more. */
    private static void abandon(CheckpointFolder checkpoints, ServerSupervisor.StoredCheckpoint incomplete) {
        try {
            checkpoints.abandon(incomplete.number());
        } catch (IOException e) {
            LOG.warn(
                    "Checkpoint {} of {}, which is not complete, stays until old ones are deleted, because it cannot be"
                            + " deleted",
                    incomplete.number(),
                    incomplete.folder(),
                    e);
        }
    }

    /**
     * What a worker needs to connect; can be sent to tasks.
     *
     * @param model that the servers keep
     * @param options how the servers run
     * @param driver host and port of the driver
     */
    @PublicApi
    public record Location(ModelSpec model, HostOptions options, String driver) implements Serializable {}

    /** Returns what {@link ParameterClient#connect} needs. */
    public Location location() {
        return new Location(model, options, loop.endpoint());
    }

    /**
     * Returns how the servers are.
     *
     * @throws IllegalStateException if an error of the driver has ended who looks after them: no server is replaced any more
     */
    public ServerState state() {
        loop.requireNoFailure();
        return supervisor.state();
    }

    /** Stops the servers; their state is gone. */
    @Override
    public void close() {
        loop.close();
        jobs.close();
    }
}
