/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.Serializable;
import java.util.List;
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
    private final ModelSpec model;
    private final HostOptions options;
    private final EventLoop loop;
    private Coordinator coordinator;
    private ServerJobs jobs;

    private ParameterServers(JavaSparkContext spark, ModelSpec model, HostOptions options) {
        this.model = model;
        this.options = options;
        int tasks = model.servers() + options.spares();
        this.loop = new EventLoop("paritas-coordinator", options.timing(), own -> {
            jobs = new ServerJobs(spark, new ServerTask(model, options, own.endpoint()), tasks);
            coordinator = new Coordinator(model.servers(), tasks, options.timing(), options.silence(), own, jobs);
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
        ParameterServers servers = new ParameterServers(spark, model, options);
        try {
            servers.coordinator.started().get(wait, TimeUnit.MILLISECONDS);
            return servers;
        } catch (TimeoutException | ExecutionException e) {
            servers.close();
            throw new IllegalStateException(
                    "Within " + wait + " ms there were not " + model.servers()
                            + " tasks at once: the application needs so many free slots, and " + options.spares()
                            + " more for spares",
                    e);
        }
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

    /** The executors that servers are in, in the order of their numbers; without those that are gone. */
    public List<String> executors() {
        return coordinator.executors();
    }

    /** How many servers were replaced. */
    public int replaced() {
        return coordinator.replaced();
    }

    /** Ends the servers; what they keep is gone. */
    @Override
    public void close() {
        loop.close();
        jobs.close();
    }
}
