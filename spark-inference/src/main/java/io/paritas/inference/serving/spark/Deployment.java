/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.ModelPool;
import io.paritas.inference.parity.Residual;
import io.paritas.inference.serving.AnswerObserver;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.spark.InstanceSpec.Duty;
import io.paritas.inference.serving.spark.InstanceSpec.RoleModel;
import io.paritas.inference.serving.spark.Rollout.Part;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.spark.screen.ServedAnswers;
import io.paritas.inference.spark.settings.EngineSpec;
import io.paritas.inference.spark.settings.SentModel;
import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.DaemonThreads;
import io.paritas.spark.job.PlacedTasks;
import io.paritas.spark.job.Serialised;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the instances of models running, on the driver. Each instance is a Spark task with a slot of its own, and a GPU if it
 * asks for one, for as long as it is deployed; a lost one starts again where there is room. Thread-safe.
 */
@PublicApi
public final class Deployment implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Deployment.class);
    private static final long POLL_MILLIS = 100;
    private static final Duration STALLED = Duration.ofSeconds(10);

    private final JavaSparkContext context;
    private final FrontEnd frontEnd;
    private final Registry registry;
    private final TraceOptions traces;
    private final Map<String, List<InstanceSupervisor>> supervisors = new HashMap<>();
    private boolean closed;
    private final Map<String, Placement.Executor> places = new HashMap<>();
    private final SeenStages seen = new SeenStages();
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("paritas-serving-keeper"));

    /**
     * Creates a deployment without models.
     *
     * @param frontEnd that instances join
     * @throws IllegalArgumentException if Spark is set to start copies of tasks by their duration
     */
    public Deployment(JavaSparkContext context, FrontEnd frontEnd) {
        SparkConf conf = context.getConf();
        PlacedTasks.requireNoCopies(conf);
        if (conf.getBoolean("spark.excludeOnFailure.enabled", false)) {
            LOG.warn(
                    "Paritas: an instance that cannot start has Spark exclude the executors on which it was tried, for the instances"
                            + " of all models: serve with spark.excludeOnFailure.enabled=false");
        }
        this.context = context;
        this.frontEnd = frontEnd;
        this.traces = new ServingConf(conf).traces();
        this.registry = new Registry(
                frontEnd,
                conf.get("spark.driver.bindAddress", conf.get("spark.driver.host")),
                conf.get("spark.driver.host"));
        context.sc().addSparkListener(seen);
        var unused = clock.scheduleWithFixedDelay(this::keep, 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Serves a version of a model. Queries go to it if it is the model's first version, or once the front end promotes it.
     *
     * @throws IllegalArgumentException if this version is served already
     * @throws IllegalStateException if the deployment is closed
     */
    public synchronized void deploy(ServingPlan plan) {
        prepare(plan);
        of(plan.served()).forEach(this::start);
    }

    private void start(InstanceSupervisor instance) {
        registry.expect(instance.id());
        instance.restore();
    }

    private void stop(InstanceSupervisor instance) {
        registry.dismiss(instance.id());
        instance.stop();
    }

    /** Adds a version whose instances do not start yet. */
    synchronized void prepare(ServingPlan plan) {
        requireOpen(plan.served());
        Map<Role, RoleModel> models = new HashMap<>();
        plan.files()
                .forEach((role, file) -> models.put(
                        role, new RoleModel(SentModel.of(file, context.sc()), EngineSpec.of(plan.loading(role)))));
        Broadcast<byte[]> warmUp = context.broadcast(Serialised.write(plan.warmUp()));
        Placement placement = new Placement(Deployment::executors, places, Placement.asked(context.getConf()));
        List<InstanceSupervisor> instances = new ArrayList<>();
        for (Role role : plan.served().policy().roles()) {
            Map<Role, RoleModel> own = Map.of(role, models.get(role));
            for (int number = 0; number < plan.instances().get(role); number++) {
                InstanceSpec spec = spec(plan, role + "-" + number, Duty.SERVE, own, warmUp);
                instances.add(new InstanceSupervisor(context, spec, plan, placement, seen));
            }
        }
        for (int number = 0; number < plan.spares(); number++) {
            InstanceSpec spec = spec(plan, "spare-" + number, Duty.STAND_BY, models, warmUp);
            instances.add(new InstanceSupervisor(context, spec, plan, placement, seen));
        }
        frontEnd.add(plan.served(), observer(plan)); // last, so that nothing is served if one of these fails
        supervisors.put(key(plan.served().name(), plan.served().version()), instances);
    }

    private AnswerObserver observer(ServingPlan plan) {
        Map<Role, String> names = new HashMap<>();
        plan.files().forEach((role, file) -> names.put(role, ModelPool.name(file, plan.loading(role))));
        Optional<Residual> residual = plan.served().policy() instanceof Policy.Coded coded
                ? coded.code().plan().residual()
                : Optional.empty();
        return ServedAnswers.observer(residual, plan.bound(), names, () -> registry.executors(plan.served()));
    }

    private List<InstanceSupervisor> of(ServedModel version) {
        return supervisors.getOrDefault(key(version.name(), version.version()), List.of());
    }

    private InstanceSpec spec(
            ServingPlan plan, String place, Duty duty, Map<Role, RoleModel> models, Broadcast<byte[]> warmUp) {
        return new InstanceSpec(
                new ServingHandle(plan.served().forInstances(), registry.host(), registry.port()),
                plan.served().name() + "-" + plan.served().version() + "-" + place,
                duty,
                models,
                warmUp,
                traces);
    }

    /**
     * Waits until all instances of a version are ready.
     *
     * @param limit longest wait
     * @throws IllegalStateException if they are not ready in time, or Spark ends before
     */
    public void awaitReady(ServingPlan plan, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!isComplete(plan)) {
            if (context.sc().isStopped()) {
                throw new IllegalStateException("the instances of " + plan.served()
                        + " must be ready before Spark ends, and it has ended: see the driver's log");
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the " + plan.slots() + " instances of " + plan.served()
                        + " must be ready within " + limit.toSeconds() + " s, got "
                        + status(plan).instances().keySet()
                        + ": give the application a slot for each with more cores or executors, or see the"
                        + " executors' logs");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** A handle of a version for the {@link CodedClient}s of tasks. */
    public ServingHandle handle(ServingPlan plan) {
        return new ServingHandle(plan.served(), registry.host(), registry.port());
    }

    /** Whether all instances of a version are ready. */
    public boolean isComplete(ServingPlan plan) {
        ModelStatus status = status(plan);
        return plan.instances().entrySet().stream()
                .allMatch(role -> status.instances(role.getKey()) >= role.getValue());
    }

    /** Whether an instance of the deployed model of a version answers queries, and Spark has not ended. */
    boolean answers(ServingPlan plan) {
        return !context.sc().isStopped() && status(plan).instances(Role.DEPLOYED) > 0;
    }

    private ModelStatus status(ServingPlan plan) {
        return frontEnd.status(plan.served().name(), plan.served().version());
    }

    /**
     * Replaces a deployed version by another, without losing queries, within the slots there are. Where these are too few for the
     * instances of both, the former parity models end first and the new ones start last, and deployed instances replace each
     * other one by one; both versions answer meanwhile.
     *
     * @param limit longest wait for one more instance to be ready
     * @return done when the former version has replied to all its queries and is gone; exceptional if there are too few slots,
     *     an instance is not ready in time, or the new version does not answer its first queries, and the former version stays;
     *     exceptional, too, if the deployment is closed meanwhile
     * @throws IllegalArgumentException if they are not versions of one model
     */
    public CompletableFuture<Void> replace(ServingPlan former, ServingPlan next, Duration limit) {
        if (!former.served().name().equals(next.served().name())) {
            throw new IllegalArgumentException("a version must be replaced by one of the same model, got "
                    + former.served() + " and " + next.served());
        }
        return Background.call("paritas-serving-replace", () -> {
            new Replacement(this, frontEnd, former, next, limit, STALLED).run();
            return null;
        });
    }

    /** Whether there are slots for one more model, as far as is known. */
    synchronized boolean hasRoomFor(ServingPlan plan) {
        return all().findAny()
                .map(any -> kept(all()) + plan.slots() <= any.slots())
                .orElse(true);
    }

    /**
     * Ends to serve a version: it answers the queries that it has, then its instances end.
     *
     * @return done when they are answered
     * @throws UnknownModelException if it is not served
     */
    public CompletableFuture<Void> remove(ServedModel version) {
        return frontEnd.retire(version.name(), version.version()).thenRun(() -> removeNow(version));
    }

    /** The number of slots for a version and another that replaces it: those that no other model has. */
    synchronized int slotsFor(ServedModel version) {
        long all = kept(all());
        long own = kept(of(version).stream());
        long slots = of(version).stream()
                .mapToLong(InstanceSupervisor::slots)
                .findAny()
                .orElse(0);
        return (int) (Math.max(slots, all) - (all - own)); // executors that are being replaced count as well
    }

    private Stream<InstanceSupervisor> all() {
        return supervisors.values().stream().flatMap(List::stream);
    }

    private static long kept(Stream<InstanceSupervisor> instances) {
        return instances.filter(InstanceSupervisor::isKept).count();
    }

    private void requireOpen(ServedModel version) {
        if (closed) {
            throw new IllegalStateException("a deployment must be open to start instances of " + version
                    + ", and it was closed: make another, with another front end");
        }
    }

    /**
     * The instances of a version that run or start.
     *
     * @throws IllegalStateException if the deployment is closed: no more will start
     */
    synchronized Rollout.Instances kept(ServedModel version) {
        requireOpen(version);
        return new Rollout.Instances(
                kept(version, Part.DEPLOYED).size(), kept(version, Part.OTHERS).size());
    }

    private List<InstanceSupervisor> kept(ServedModel version, Part part) {
        return of(version).stream()
                .filter(instance -> instance.isKept() && instance.isOf(part))
                .toList();
    }

    /** How many instances of a version have waited for a slot for longer than that. */
    synchronized int waiting(ServedModel version, long nanos) {
        return (int) of(version).stream()
                .filter(instance -> instance.waitsForSlot(nanos))
                .count();
    }

    /** Starts one more instance of a version. */
    synchronized void startOne(ServedModel version, Part part) {
        of(version).stream()
                .filter(instance -> !instance.isKept() && instance.isOf(part))
                .findFirst()
                .ifPresent(this::start);
    }

    /** Ends an instance of a version, the last that would start. */
    synchronized void stopOne(ServedModel version, Part part) {
        List<InstanceSupervisor> kept = kept(version, part);
        if (!kept.isEmpty()) {
            stop(kept.get(kept.size() - 1));
        }
    }

    /** Ends the spares of a version, whose slots are needed. */
    synchronized void stopSpares(ServedModel version) {
        of(version).stream().filter(InstanceSupervisor::isSpare).forEach(this::stop);
    }

    /** Starts the instances and spares of a version that do not run. */
    synchronized void restore(ServedModel version) {
        of(version).stream().filter(instance -> !instance.isKept()).forEach(this::start);
    }

    /** Ends the instances of a version. Its queries are unavailable unless the front end has retired it. */
    synchronized void removeNow(ServedModel version) {
        List<InstanceSupervisor> stopped = supervisors.remove(key(version.name(), version.version()));
        if (stopped != null) {
            stopped.forEach(this::stop);
        }
    }

    private static List<Placement.Executor> executors() {
        return ApplicationExecutors.all().stream()
                .map(manager -> new Placement.Executor(manager.executorId(), manager.host()))
                .toList();
    }

    private static String key(String name, String version) {
        return name + "/" + version;
    }

    /* An error would end the task of the clock: no instance would start again. */
    private synchronized void keep() {
        try {
            if (!context.sc().isStopped()) {
                all().forEach(Deployment::keep);
            }
        } catch (Throwable e) {
            // A heap that is full has no room for a log line, either: it is tried again.
        }
    }

    private static void keep(InstanceSupervisor instance) {
        try {
            instance.keep();
        } catch (Throwable e) { // the others do not wait for it, and it is tried again
            LOG.warn("Paritas: an instance was not started: {}", e.toString());
        }
    }

    /** Ends all instances. */
    @Override
    public void close() {
        clock.shutdownNow();
        synchronized (this) {
            closed = true;
            supervisors.values().forEach(all -> all.forEach(this::stop));
            supervisors.clear();
        }
        context.sc().removeSparkListener(seen);
        registry.close();
    }
}
