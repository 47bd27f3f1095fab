/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Spreads instances over executors: two on one would be slow and dead together, which no code with one parity survives. Not
 * thread-safe.
 */
final class Placement {
    private final Supplier<List<Executor>> executors;
    private final Map<String, Executor> chosen = new HashMap<>();
    private int most;

    /** An executor that runs. */
    record Executor(String id, String host) {

        /** As Spark wants preferred locations. */
        String location() {
            return "executor_" + host + "_" + id;
        }
    }

    Placement(Supplier<List<Executor>> executors) {
        this.executors = executors;
    }

    /**
     * Chooses an executor with the fewest instances, on a host with the fewest.
     *
     * @param instance that is to start there; where it was before does not count
     * @param alone whether it must be the only one there
     * @return empty if there is none
     */
    Optional<Executor> choose(String instance, boolean alone) {
        chosen.remove(instance);
        Optional<Executor> best = executors.get().stream()
                .filter(executor -> !alone || !chosen.containsValue(executor))
                .min(Comparator.comparingLong(this::instancesOn)
                        .thenComparingLong(executor -> instancesAt(executor.host))
                        .thenComparing(Executor::id));
        best.ifPresent(executor -> chosen.put(instance, executor));
        return best;
    }

    /** Whether fewer executors run than did: others are on their way, as a rule. */
    boolean isShort() {
        int running = executors.get().size();
        most = Math.max(most, running);
        return running < most;
    }

    private long instancesOn(Executor executor) {
        return chosen.values().stream().filter(executor::equals).count();
    }

    private long instancesAt(String host) {
        return chosen.values().stream()
                .filter(executor -> executor.host.equals(host))
                .count();
    }

    /** An instance has ended. */
    void forget(String instance) {
        chosen.remove(instance);
    }
}
