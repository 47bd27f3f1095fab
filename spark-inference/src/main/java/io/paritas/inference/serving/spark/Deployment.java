/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.ModelFile;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Keeps the instances of models running, on the driver. Each instance is a Spark task with a slot, and a GPU if it asks for one,
 * that lasts as long as it is wanted: a lost one is started again where there is room. Thread-safe.
 */
public final class Deployment implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Deployment.class.getName());
    private static final long POLL_MILLIS = 100;

    private final JavaSparkContext context;
    private final FrontEnd frontEnd;
    private final Registry registry;
    private final Map<String, List<Keeper>> keepers = new HashMap<>();
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "paritas-serving-keeper");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * A deployment without models.
     *
     * @param frontEnd that instances join
     * @throws IllegalArgumentException if Spark is set to run a second attempt of a task that takes long
     */
    public Deployment(JavaSparkContext context, FrontEnd frontEnd) {
        SparkConf conf = context.getConf();
        requireNoCopies(conf);
        this.context = context;
        this.frontEnd = frontEnd;
        this.registry = new Registry(
                frontEnd,
                conf.get("spark.driver.bindAddress", conf.get("spark.driver.host")),
                conf.get("spark.driver.host"));
        var unused = clock.scheduleWithFixedDelay(this::keep, 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    static void requireNoCopies(SparkConf conf) {
        String threshold = "spark.speculation.task.duration.threshold";
        if (conf.getBoolean("spark.speculation", false) && conf.contains(threshold)) {
            throw new IllegalArgumentException("an instance is a task that never ends, and with spark.speculation and "
                    + threshold + " Spark starts a copy of it: unset one of them for an application that serves");
        }
    }

    /** Serves a version of a model; queries go to it if it is the first one, or when the front end is told so. */
    public synchronized void deploy(ServingPlan plan) {
        frontEnd.add(plan.served());
        Map<Role, Broadcast<ModelFile>> files = new HashMap<>();
        plan.files().forEach((role, file) -> files.put(role, context.broadcast(file)));
        Placement placement = new Placement(Deployment::executors);
        List<Keeper> started = new ArrayList<>();
        for (Role role : plan.served().policy().roles()) {
            for (int number = 0; number < plan.instances().get(role); number++) {
                started.add(new Keeper(context, spec(plan, role, number, files.get(role)), plan, placement));
            }
        }
        keepers.put(key(plan.served().name(), plan.served().version()), started);
    }

    private InstanceSpec spec(ServingPlan plan, Role role, int number, Broadcast<ModelFile> file) {
        String name = plan.served().name();
        String version = plan.served().version();
        return new InstanceSpec(
                name,
                version,
                name + "-" + version + "-" + role + "-" + number,
                role,
                file,
                plan.options().engine(),
                plan.options().device(),
                plan.options().threads(),
                plan.served().input().shape(),
                registry.host(),
                registry.port());
    }

    /**
     * Waits until all instances of a version are ready.
     *
     * @throws IllegalStateException if they are not within the time, with what may be the reason
     */
    public void awaitReady(ServingPlan plan, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!isComplete(plan)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the " + plan.slots() + " instances of " + plan.served()
                        + " are ready within " + limit.toSeconds() + " s, if there is a free slot for each; there are "
                        + status(plan).instances().keySet()
                        + ": give the application more cores or executors, or look into the executors' logs");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** What tasks need to ask the instances of a version themselves: {@link CodedClient}. */
    public ServingHandle handle(ServingPlan plan) {
        return new ServingHandle(plan.served(), registry.host(), registry.port());
    }

    /** Whether all instances of a version are ready. */
    public boolean isComplete(ServingPlan plan) {
        ModelStatus status = status(plan);
        return plan.instances().entrySet().stream()
                .allMatch(role -> status.instances(role.getKey()) >= role.getValue());
    }

    private ModelStatus status(ServingPlan plan) {
        return frontEnd.status(plan.served().name(), plan.served().version());
    }

    /**
     * Puts a version in the place of another that is deployed, without losing queries. There need not be a slot for each
     * instance of both.
     *
     * @param limit for the new instances to be ready
     * @return done when the former one has replied to all its queries and is gone; exceptional if the new instances are not
     *     ready in time, and the former one is served on
     * @throws IllegalArgumentException if they are not versions of one model
     */
    public CompletableFuture<Void> replace(ServingPlan former, ServingPlan next, Duration limit) {
        if (!former.served().name().equals(next.served().name())) {
            throw new IllegalArgumentException("a version is replaced by another version of the same model, got "
                    + former.served() + " and " + next.served());
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        new Replacement(this, frontEnd, former, next, limit).run();
                        done.complete(null);
                    } catch (InterruptedException | ExecutionException | RuntimeException e) {
                        done.completeExceptionally(e);
                    }
                },
                "paritas-serving-replace");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** Ends an instance of a version to make room; false if only its last deployed one is left. */
    synchronized boolean release(String name, String version) {
        List<Keeper> kept = keepers.getOrDefault(key(name, version), List.of()).stream()
                .filter(Keeper::isKept)
                .toList();
        // Parities, which come behind, first: without them queries are still answered.
        for (int i = kept.size() - 1; i > 0; i--) {
            boolean lastDeployed = kept.get(i).role().equals(Role.DEPLOYED)
                    && kept.stream()
                                    .filter(keeper -> keeper.role().equals(Role.DEPLOYED))
                                    .count()
                            == 1;
            if (!lastDeployed) {
                kept.get(i).stop();
                return true;
            }
        }
        return false;
    }

    /** Starts again what made room. */
    synchronized void restore(String name, String version) {
        keepers.getOrDefault(key(name, version), List.of()).forEach(Keeper::restore);
    }

    /** Ends the instances of a version. The front end must have retired it, or its queries are unavailable. */
    public synchronized void stop(String name, String version) {
        List<Keeper> stopped = keepers.remove(key(name, version));
        if (stopped != null) {
            stopped.forEach(Keeper::stop);
        }
    }

    private static List<Placement.Executor> executors() {
        return CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet()
                .stream()
                .filter(manager -> !manager.isDriver())
                .map(manager -> new Placement.Executor(manager.executorId(), manager.host()))
                .toList();
    }

    private static String key(String name, String version) {
        return name + "/" + version;
    }

    private synchronized void keep() {
        try {
            keepers.values().forEach(all -> all.forEach(Keeper::keep));
        } catch (RuntimeException e) { // tried again at once, unless Spark has ended
            LOG.log(System.Logger.Level.WARNING, "Paritas: an instance was not started: {0}", e.getMessage());
        }
    }

    /** Ends all instances. */
    @Override
    public void close() {
        clock.shutdownNow();
        synchronized (this) {
            keepers.values().forEach(all -> all.forEach(Keeper::stop));
            keepers.clear();
        }
        registry.close();
    }
}
