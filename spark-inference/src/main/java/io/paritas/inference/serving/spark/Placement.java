/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.spark.job.PlacedTasks;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;

/**
 * Spreads instances over executors: two on one executor would be slow or lost together, which a code with one parity does not
 * survive. Not thread-safe.
 */
final class Placement {
    /* Longest wait for an executor without an instance, since the last one came, or the instance may start. */
    private static final long SPREAD = TimeUnit.SECONDS.toNanos(5);
    /* The same, while there are fewer executors than before, or than Spark is asked for. */
    private static final long MISSING = TimeUnit.SECONDS.toNanos(60);

    private final Supplier<List<Executor>> executors;
    private final Map<String, Executor> places;
    private final Map<String, Executor> chosen = new HashMap<>();
    private final OptionalInt asked;
    private int most;
    private long grown = Long.MIN_VALUE;

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
     * @param asked how many executors Spark is asked for, 0 if that is not known; empty if it gets them for tasks that wait
     */
    Placement(Supplier<List<Executor>> executors, Map<String, Executor> places, OptionalInt asked) {
        this.executors = executors;
        this.places = places;
        this.asked = asked;
    }

    /** How many executors an application asks for, as its settings have it. */
    static OptionalInt asked(SparkConf conf) {
        if (conf.getBoolean("spark.dynamicAllocation.enabled", false)) {
            return OptionalInt.empty();
        }
        // Of a standalone cluster, which has no such setting, where each has the same number of cores.
        int ofCores = conf.getInt("spark.cores.max", 0) / conf.getInt("spark.executor.cores", Integer.MAX_VALUE);
        return OptionalInt.of(conf.getInt("spark.executor.instances", ofCores));
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

    /**
     * Whether an instance that finds no free executor shares one, because others probably do not come. To be asked about each moment
     * while it waits.
     *
     * @param since when it might have started, in nanoseconds
     */
    boolean mayShare(long since, long now) {
        int running = executors.get().size();
        if (running > most) {
            most = running;
            grown = now;
        }
        if (running == 0 && asked.isPresent()) {
            return false; // Spark would start all of them on the executor that comes first
        }
        boolean missing = running < Math.max(most, asked.orElse(0));
        return now - Math.max(since, grown) >= (missing ? MISSING : SPREAD);
    }

    /** The instances of this version on the executor that was chosen for one, without it. */
    List<String> beside(String instance) {
        Executor own = chosen.get(instance);
        return chosen.entrySet().stream()
                .filter(other -> other.getValue().equals(own) && !other.getKey().equals(instance))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
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
