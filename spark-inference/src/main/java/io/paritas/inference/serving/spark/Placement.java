/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.spark.job.PlacedTasks;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Spreads instances over executors: two on one executor would be slow or lost together, which a code with one parity does not
 * survive. Not thread-safe.
 */
final class Placement {
    private final Supplier<List<Executor>> executors;
    private final Map<String, Executor> places;
    private final Map<String, Executor> chosen = new HashMap<>();
    private int most;

    /** A running executor. */
    record Executor(String id, String host) {

        /** The form of Spark's preferred locations. */
        String location() {
            return PlacedTasks.location(host, id);
        }
    }

    /**
     * Placement of the instances of one version.
     *
     * @param executors that run
     * @param places of all versions' instances, which this adds to: of equal executors that with the fewest is chosen
     */
    Placement(Supplier<List<Executor>> executors, Map<String, Executor> places) {
        this.executors = executors;
        this.places = places;
    }

    /**
     * Chooses an executor with the fewest instances of this version, then of all, on a host with the fewest.
     *
     * @param instance that starts there; its former place does not count
     * @return empty if no executor runs
     */
    Optional<Executor> choose(String instance) {
        return choose(instance, true);
    }

    /** Chooses in the same way among executors without an instance of this version; empty if there are none. */
    Optional<Executor> chooseFree(String instance) {
        return choose(instance, false);
    }

    private Optional<Executor> choose(String instance, boolean several) {
        forget(instance);
        Map<Executor, Integer> ofVersion = counts(chosen, executor -> executor);
        Map<Executor, Integer> ofAll = counts(places, executor -> executor);
        Map<String, Integer> atHosts = counts(chosen, Executor::host);
        Optional<Executor> best = executors.get().stream()
                .filter(executor -> several || !ofVersion.containsKey(executor))
                .min(Comparator.comparingInt((Executor executor) -> ofVersion.getOrDefault(executor, 0))
                        .thenComparingInt(executor -> ofAll.getOrDefault(executor, 0))
                        .thenComparingInt(executor -> atHosts.getOrDefault(executor.host, 0))
                        .thenComparing(Executor::id));
        best.ifPresent(executor -> {
            chosen.put(instance, executor);
            places.put(instance, executor);
        });
        return best;
    }

    /** Whether fewer executors run than at some time before, so that others probably start. */
    boolean isShort() {
        int running = executors.get().size();
        most = Math.max(most, running);
        return running < most;
    }

    /** The number of instances at each place. */
    private static <T> Map<T, Integer> counts(Map<String, Executor> instances, Function<Executor, T> place) {
        Map<T, Integer> counts = new HashMap<>();
        instances.values().forEach(executor -> counts.merge(place.apply(executor), 1, Integer::sum));
        return counts;
    }

    /** Forgets an instance that has ended. */
    void forget(String instance) {
        chosen.remove(instance);
        places.remove(instance);
    }
}
