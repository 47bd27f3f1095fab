/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.serving.trace.TraceSpan;
import io.paritas.inference.serving.trace.Traces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Answers queries for models that instances run elsewhere. Each query gets exactly one {@link Reply}, by its deadline. Models
 * may be added, and instances may join and leave, at any time; one version of each model is current. Thread-safe.
 *
 * <p>What depends on a future of this class runs on a daemon thread that it has for itself, and so may wait: no query and no deadline
 * waits for it. There are as many threads as wait at a time.
 */
@PublicApi
public final class FrontEnd implements AutoCloseable {
    private static final Pattern TENANT = Pattern.compile("[\\x21-\\x7e]{1,128}");

    private static final long WATCH = TimeUnit.SECONDS.toNanos(1);

    /** So many models are named where one is unknown. */
    private static final int NAMED = 10;

    private final ScheduledThreadPoolExecutor clock = clock();
    private final Executor replies = replies();
    private final Map<Key, Lane> lanes = new ConcurrentSkipListMap<>();
    private final Map<String, String> current = new ConcurrentHashMap<>();
    private final Map<String, String> joining = new ConcurrentHashMap<>();
    private final AtomicInteger turns = new AtomicInteger();
    /* Models that have not been ready yet. */
    private final Set<String> loading = ConcurrentHashMap.newKeySet();
    /* Whether all models were ready once. */
    private volatile boolean started;

    private final Traces traces;
    private final RowMemory memory;
    private final Thread watch = new Thread(this::watch, "paritas-serving-watch");

    /**
     * A front end that traces nothing.
     *
     * @throws IllegalStateException if the system has no thread left for it
     */
    public FrontEnd() {
        this(Traces.OFF);
    }

    /**
     * A front end whose servers trace requests. It does not close the traces.
     *
     * @throws IllegalStateException if the system has no thread left for it
     */
    public FrontEnd(Traces traces) {
        this(traces, RowMemory.ofHeap());
    }

    FrontEnd(Traces traces, RowMemory memory) {
        this.traces = traces;
        this.memory = memory;
        watch.setDaemon(true);
        try {
            watch.start();
        } catch (OutOfMemoryError e) {
            clock.shutdownNow();
            throw noThread(e);
        }
    }

    /* A thread of its own, which no error ends: that of the clock ends where there is no memory to wait for its next task. */
    private void watch() {
        while (!clock.isShutdown()) {
            LockSupport.parkNanos(WATCH);
            try {
                clock.prestartCoreThread();
                lanes.values().forEach(Lane::watch);
            } catch (Throwable e) {
                // A heap that is full has no room for a log line, either: the next look is in a second.
            }
        }
    }

    /** Where the spans of requests go. */
    public Traces traces() {
        return traces;
    }

    private record Key(String name, String version) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byName = name.compareTo(other.name);
            return byName == 0 ? version.compareTo(other.version) : byName;
        }
    }

    /**
     * The thread that wakes lanes.
     *
     * @throws IllegalStateException if the system has no thread left
     */
    static ScheduledThreadPoolExecutor clock() {
        return clock(task -> {
            Thread thread = new Thread(task, "paritas-serving-clock");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * As {@link #clock()}. The thread is there from the start: queries would wait for ever for one that comes too late.
     *
     * @throws IllegalStateException if the system has no thread left; without a cause, because Spark ends an executor for an
     *     OutOfMemoryError among the causes
     */
    static ScheduledThreadPoolExecutor clock(ThreadFactory threads) {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, threads);
        clock.setRemoveOnCancelPolicy(true);
        try {
            clock.prestartCoreThread();
        } catch (OutOfMemoryError e) {
            throw noThread(e);
        }
        return clock;
    }

    private static IllegalStateException noThread(OutOfMemoryError e) {
        return new IllegalStateException("a front end must have a thread of its own, and the system gives none ("
                + e.getMessage() + "): raise the limit of processes of the user (ulimit -u) or of the container");
    }

    /**
     * Threads on which the futures of callers are done. There is always one more, because what depends on such a future may wait for
     * another one. They end when they have nothing to do. They take over no class loader, priority or thread-local value
     * from the caller that happens to start them.
     */
    private static Executor replies() {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(null, task, "paritas-serving-replies", 0, false);
            thread.setDaemon(true);
            thread.setPriority(Thread.NORM_PRIORITY);
            thread.setContextClassLoader(FrontEnd.class.getClassLoader());
            return thread;
        });
    }

    /**
     * Adds a version of a model. The first version of a model is current.
     *
     * @throws IllegalArgumentException if this version is served already
     */
    public void add(ServedModel model) {
        add(model, AnswerObserver.NONE);
    }

    /**
     * Adds a version of a model, as {@link #add(ServedModel)}, and has its answers looked at.
     *
     * @param observer takes what instances answer, late answers among them
     * @throws IllegalArgumentException if this version is served already
     */
    public void add(ServedModel model, AnswerObserver observer) {
        Lane former = lanes.putIfAbsent(
                new Key(model.name(), model.version()), new Lane(model, clock, replies, observer, memory));
        if (former != null) {
            throw new IllegalArgumentException(
                    "a version must be served once, " + model + " is served already: give the new one another version");
        }
        if (!current.containsKey(model.name())) {
            loading.add(model.name());
        }
        current.putIfAbsent(model.name(), model.version());
    }

    /**
     * Makes a version current: queries that name no version go to it from now on.
     *
     * @throws UnknownModelException if there is no such model or version
     */
    public void promote(String name, String version) {
        current.put(name, lane(name, version).model().version());
        joining.remove(name);
    }

    /**
     * Lets another version answer queries that name no version beside the current one, each as many as it has ready instances of
     * the deployed model, until a version is promoted or this one is retired.
     *
     * @throws UnknownModelException if there is no such model or version
     */
    public void share(String name, String version) {
        joining.put(name, lane(name, version).model().version());
    }

    /* The version that the next queries should go to: the current one, or in its turn one that shares its queries. */
    private Lane turn(String name, String version) {
        Lane named = lane(name, version);
        return version.isEmpty() ? turn(named) : named;
    }

    private Lane turn(Lane now) {
        String name = now.model().name();
        Lane other =
                lanes.get(new Key(name, joining.getOrDefault(name, now.model().version())));
        if (other == null || other == now) {
            return now;
        }
        int all = now.deployed() + other.deployed();
        boolean others = all > 0 && Math.floorMod(turns.getAndIncrement() * other.deployed(), all) < other.deployed();
        return others ? other : now;
    }

    /**
     * Sends no more queries to a version and removes it when the futures of all its queries are done. Versions never share a coding group.
     *
     * @return done when it is removed
     * @throws UnknownModelException if there is no such model or version
     * @throws IllegalArgumentException if it is the current one of several versions
     */
    public CompletableFuture<Void> retire(String name, String version) {
        Lane lane = lane(name, version);
        if (versions(name).size() > 1 && version.equals(current.get(name))) {
            throw new IllegalArgumentException("the version that is retired must not be the current one, got "
                    + lane.model() + ": promote another version first");
        }
        joining.remove(name, version);
        CompletableFuture<Void> drained = lane.drain();
        if (version.equals(current.get(name))) {
            loaded(name); // the start waits for it no more
        }
        return drained.thenRun(() -> {
            if (lanes.remove(new Key(name, version), lane)) {
                current.remove(name, version);
            }
        });
    }

    private void loaded(String name) {
        loading.remove(name);
        if (!started && loading.isEmpty() && isReady()) {
            started = true;
        }
    }

    /**
     * Adds an instance of a version that is ready. It replaces another with its id.
     *
     * @throws UnknownModelException if there is no such model or version
     */
    public void join(String name, String version, Instance instance, Link link) {
        lane(name, version).join(instance, link);
        if (instance.role().equals(Role.DEPLOYED)) {
            loaded(name);
        }
    }

    /** Removes an instance that is lost or ends. Does nothing if it or its model is unknown. */
    public void leave(String name, String version, Instance instance) {
        Lane lane = lanes.get(new Key(name, version));
        if (lane != null) {
            lane.leave(instance);
        }
    }

    /**
     * Asks for predictions, of all inputs or of none. What depends on a reply runs on a thread {@code paritas-serving-replies}, which it has
     * for itself meanwhile: it may wait, for another reply as well.
     *
     * @param version empty for the current one, or one that shares its queries
     * @param tenant the queries' owner, empty or 1 to 128 printable ASCII characters without blanks; tenants never share a
     *     coding group
     * @param inputs one query each, row-major, at most {@link Limits#waiting}; must not be changed afterwards
     * @param deadline time until a query without a reply is unavailable; zero for the model's default
     * @return a reply for each query, in their order; never exceptional, unless it is cancelled: then its query is dropped, and
     *     not sent to an instance if it was not yet, unless its coding group needs it for other queries
     * @throws UnknownModelException if there is no such model or version
     * @throws RejectedException if too many queries wait, the rows of those without a reply would have more than an eighth of Java's
     *     heap, or the version is being retired
     * @throws IllegalArgumentException if a query has another size than the model's input, the deadline is negative, there are
     *     more queries than may wait, or the tenant has other characters
     */
    public List<CompletableFuture<Reply>> predict(
            String name, String version, String tenant, List<float[]> inputs, Duration deadline) {
        return predict(name, version, tenant, inputs, deadline, TraceSpan.OFF, replies);
    }

    /**
     * Asks for predictions as {@link #predict(String, String, String, List, Duration)} does, as a part of a trace. What depends on
     * the replies runs where the caller says.
     *
     * @param trace the span of the request that the queries belong to
     * @param executor runs what depends on a reply. It may do so at once ({@code Runnable::run}) if that is short and never waits:
     *     other queries and their deadlines wait for it. If it refuses, it is as if it did so at once.
     *     {@link #drain} and {@link #retire} wait until it has done so
     * @throws IllegalArgumentException if the tenant is not empty, nor 1 to 128 printable ASCII characters without blanks
     */
    public List<CompletableFuture<Reply>> predict(
            String name,
            String version,
            String tenant,
            List<float[]> inputs,
            Duration deadline,
            TraceSpan trace,
            Executor executor) {
        if (!tenant.isEmpty() && !TENANT.matcher(tenant).matches()) {
            throw new IllegalArgumentException(
                    "a tenant must be 1 to 128 printable ASCII characters without blanks, got '" + tenant + "'");
        }
        return atTurn(
                name, version, model -> submit(lane(name, model.version()), tenant, inputs, deadline, trace, executor));
    }

    /**
     * Asks the version that queries should go to now; if it was replaced in between, the one that has taken its place. Each is asked
     * once at most; one that was removed and added again counts as another.
     *
     * @param version empty for any
     * @param ask asks the version that it is given
     * @throws UnknownModelException if there is no such model or version
     * @throws RejectedException if the version rejects, and no other has taken its place
     */
    public <T> T atTurn(String name, String version, Function<ServedModel, T> ask) {
        List<Lane> asked = new ArrayList<>(1);
        Lane next = turn(name, version);
        while (true) {
            asked.add(next);
            try {
                return ask.apply(next.model());
            } catch (RejectedException | UnknownModelException e) {
                next = turn(name, version);
                if (asked.contains(next)) {
                    throw e;
                }
            }
        }
    }

    private static List<CompletableFuture<Reply>> submit(
            Lane lane, String tenant, List<float[]> inputs, Duration deadline, TraceSpan trace, Executor executor) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("a deadline must not be negative, got " + deadline);
        }
        lane.model().requireAtOnce(inputs.size());
        int size = lane.model().input().size();
        for (float[] input : inputs) {
            if (input.length != size) {
                throw new IllegalArgumentException("a query of the model " + lane.model() + " must have the " + size
                        + " values of " + lane.model().input() + ", got " + input.length);
            }
        }
        return lane.submit(
                tenant, inputs, deadline.isZero() ? lane.model().limits().deadline() : deadline, trace, executor);
    }

    /**
     * The model that is served under a name.
     *
     * @param version empty for the current one
     * @throws UnknownModelException if there is no such model or version
     */
    public ServedModel model(String name, String version) {
        return lane(name, version).model();
    }

    Lane lane(String name, String version) {
        Lane lane = version.isEmpty() ? current(name) : lanes.get(new Key(name, version));
        if (lane == null) {
            List<String> known = lanes.values().stream()
                    .map(Lane::model)
                    .map(model -> model.name() + " (" + model.version() + ")")
                    .toList();
            int others = Math.max(0, known.size() - NAMED);
            throw new UnknownModelException("there is no model '" + name + "'"
                    + (version.isEmpty() ? "" : " with version '" + version + "'") + ", there are "
                    + known.subList(0, known.size() - others) + (others > 0 ? " and " + others + " more" : ""));
        }
        return lane;
    }

    /* A version may be replaced, and be gone, between the two looks: then another one is current. */
    private Lane current(String name) {
        while (true) {
            String version = current.getOrDefault(name, "");
            Lane lane = lanes.get(new Key(name, version));
            if (lane != null || version.equals(current.getOrDefault(name, ""))) {
                return lane;
            }
        }
    }

    /** Whether there is a model of this name, in any version. */
    public boolean has(String name) {
        return current.containsKey(name);
    }

    /** The versions of a model, in order; none if there is no such model. */
    public List<String> versions(String name) {
        return lanes.keySet().stream()
                .filter(key -> key.name.equals(name))
                .map(Key::version)
                .toList();
    }

    /**
     * The status of one version.
     *
     * @param version empty for the current one
     * @throws UnknownModelException if there is no such model or version
     */
    public ModelStatus status(String name, String version) {
        Lane lane = lane(name, version);
        return lane.status(current.get(lane.model().name()));
    }

    /** The status of all versions of all models, ordered by name and version. */
    public List<ModelStatus> status() {
        return lanes.values().stream()
                .map(lane -> lane.status(current.get(lane.model().name())))
                .toList();
    }

    /**
     * Whether there is a model, and every current version is ready. A model that is added later, when all were ready, counts from when
     * it is ready for the first time, and one that is retired no more: the others answer meanwhile.
     */
    public boolean isReady() {
        List<ModelStatus> all = status().stream()
                .filter(ModelStatus::current)
                .filter(one -> !one.draining()
                        && !(started && loading.contains(one.model().name())))
                .toList();
        return !all.isEmpty() && all.stream().allMatch(ModelStatus::isReady);
    }

    /** Takes no more queries. Done when the futures of all queries are. */
    public CompletableFuture<Void> drain() {
        Stream<CompletableFuture<Void>> drained = lanes.values().stream().map(Lane::drain);
        return CompletableFuture.allOf(drained.toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Ends at once: queries without a reply are unavailable, and their futures are done a moment later. Call {@link #drain} first to let
     * them finish.
     */
    @Override
    public void close() {
        clock.shutdownNow(); // first: a model that comes now learns from it that nothing will be due
        LockSupport.unpark(watch);
        lanes.values().forEach(Lane::close);
    }
}
