/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/**
 * Outputs that want a group, by executor. Those of an executor are sorted, so that a plan takes them from the front, however many wait. Some
 * were lost, or failed too often, since they were added: they are left out when they are met.
 */
final class WaitingOutputs {
    /** The longest first, so that those of a group are about equally long. */
    private static final Comparator<Output> LONGEST =
            Comparator.comparingLong((Output output) -> -output.bytes).thenComparingLong(output -> output.map);

    private final Map<BlockManagerId, NavigableSet<Output>> byExecutor = new LinkedHashMap<>();

    /** Adds an output, if it wants a group and is not here. */
    void add(Output output) {
        if (output.isWaiting()) {
            byExecutor
                    .computeIfAbsent(output.at(), at -> new TreeSet<>(LONGEST))
                    .add(output);
        }
    }

    /** Removes an output, if it is here. To be called before it is at another executor. */
    void remove(Output output) {
        NavigableSet<Output> its = byExecutor.get(output.at());
        if (its != null) {
            its.remove(output);
        }
    }

    void clear() {
        byExecutor.clear();
    }

    /** Returns those of some executors. Who takes one from a set removes it. */
    Map<BlockManagerId, NavigableSet<Output>> of(Collection<BlockManagerId> executors) {
        byExecutor.values().removeIf(Set::isEmpty);
        Map<BlockManagerId, NavigableSet<Output>> some = new LinkedHashMap<>(byExecutor);
        some.keySet().retainAll(Set.copyOf(executors));
        return some;
    }

    Stream<Output> all() {
        return byExecutor.values().stream().flatMap(Collection::stream);
    }
}
