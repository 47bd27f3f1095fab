/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

/**
 * Answers queries for models that instances elsewhere run: each query gets exactly one {@link Reply}, by its deadline. Models
 * are added, a version of each is current, and instances join and leave at any time. Thread-safe.
 */
public final class FrontEnd implements AutoCloseable {
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "paritas-serving-clock");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<Key, Lane> lanes = new ConcurrentSkipListMap<>();
    private final Map<String, String> current = new ConcurrentHashMap<>();

    private record Key(String name, String version) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byName = name.compareTo(other.name);
            return byName == 0 ? version.compareTo(other.version) : byName;
        }
    }

    /**
     * Adds a version of a model; the first one of a model is current.
     *
     * @throws IllegalArgumentException if it is here already
     */
    public void add(ServedModel model) {
        Lane former = lanes.putIfAbsent(new Key(model.name(), model.version()), new Lane(model, clock));
        if (former != null) {
            throw new IllegalArgumentException(
                    "the model " + model + " is served already: give the new one another version");
        }
        current.putIfAbsent(model.name(), model.version());
    }

    /** Sends queries that name no version to this one from now on. */
    public void promote(String name, String version) {
        current.put(name, lane(name, version).model().version());
    }

    /**
     * Sends no more queries to a version. Done when all that it has have their replies, and it is forgotten. Its groups are
     * its own, so that versions never mix.
     *
     * @throws IllegalArgumentException if it is the current one of several
     */
    public CompletableFuture<Void> retire(String name, String version) {
        Lane lane = lane(name, version);
        long versions =
                lanes.keySet().stream().filter(key -> key.name.equals(name)).count();
        if (versions > 1 && version.equals(current.get(name))) {
            throw new IllegalArgumentException(
                    "the model " + lane.model() + " is the current one: promote another version before it is retired");
        }
        return lane.drain().thenRun(() -> {
            lanes.remove(new Key(name, version));
            current.remove(name, version);
        });
    }

    /** An instance of a version is ready, and takes the place of another with its id. */
    public void join(String name, String version, Instance instance, Link link) {
        lane(name, version).join(instance, link);
    }

    /** An instance is lost, or ends. Does nothing if it or its model is unknown. */
    public void leave(String name, String version, Instance instance) {
        Lane lane = lanes.get(new Key(name, version));
        if (lane != null) {
            lane.leave(instance);
        }
    }

    /**
     * Asks for predictions.
     *
     * @param version empty for the current one
     * @param tenant whose queries these are: they are coded with nobody else's
     * @param inputs a query each, row-major; must not be changed later
     * @param deadline when a query is unavailable; zero for that of the model
     * @return a reply for each, in their order; never exceptional
     * @throws UnknownModelException if there is no such model or version
     * @throws RejectedException if too many queries wait, or the model is on its way out; none was taken then
     * @throws IllegalArgumentException if a query has another size than the model's input
     */
    public List<CompletableFuture<Reply>> predict(
            String name, String version, String tenant, List<float[]> inputs, Duration deadline) {
        Lane lane = lane(name, version);
        int size = lane.model().input().size();
        for (float[] input : inputs) {
            if (input.length != size) {
                throw new IllegalArgumentException("every query of the model " + lane.model() + " must have the " + size
                        + " values of " + lane.model().input() + ", got " + input.length);
            }
        }
        return lane.submit(
                tenant, inputs, deadline.isZero() ? lane.model().limits().deadline() : deadline);
    }

    /**
     * What is served under a name.
     *
     * @param version empty for the current one
     * @throws UnknownModelException if there is no such model or version
     */
    public ServedModel model(String name, String version) {
        return lane(name, version).model();
    }

    Lane lane(String name, String version) {
        String wanted = version.isEmpty() ? current.getOrDefault(name, "") : version;
        Lane lane = lanes.get(new Key(name, wanted));
        if (lane == null) {
            List<String> known = lanes.values().stream()
                    .map(Lane::model)
                    .map(ServedModel::toString)
                    .toList();
            throw new UnknownModelException("there is no model '" + name + "'"
                    + (version.isEmpty() ? "" : " with version '" + version + "'") + ", there are " + known);
        }
        return lane;
    }

    /** How one version does; empty version for the current one. */
    public ModelStatus status(String name, String version) {
        Lane lane = lane(name, version);
        return lane.status(lane.model().version().equals(current.get(name)));
    }

    /** How all versions of all models do, by name and version. */
    public List<ModelStatus> status() {
        return lanes.values().stream()
                .map(lane -> lane.status(
                        lane.model().version().equals(current.get(lane.model().name()))))
                .toList();
    }

    /** Whether there is a model, and every current version can predict. */
    public boolean isReady() {
        List<ModelStatus> all = status().stream().filter(ModelStatus::current).toList();
        return !all.isEmpty() && all.stream().allMatch(ModelStatus::isReady);
    }

    /** Takes no more queries. Done when all have their replies. */
    public CompletableFuture<Void> drain() {
        Stream<CompletableFuture<Void>> drained = lanes.values().stream().map(Lane::drain);
        return CompletableFuture.allOf(drained.toArray(CompletableFuture<?>[]::new));
    }

    /** Ends at once: queries without a reply are unavailable. {@link #drain} before, where there is time. */
    @Override
    public void close() {
        lanes.values().forEach(Lane::close);
        clock.shutdownNow();
    }
}
