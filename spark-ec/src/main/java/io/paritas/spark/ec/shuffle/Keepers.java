/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.spark.storage.BlockManagerId;

/** Executors that take files, in the order of how many they have: who gives many files does not look at all executors for each. */
final class Keepers {
    private static final Comparator<Keeper> FEWEST_FILES =
            Comparator.comparingInt(Keeper::files).thenComparingInt(Keeper::place);

    private final NavigableSet<Keeper> byFiles = new TreeSet<>(FEWEST_FILES);
    private final Map<BlockManagerId, Keeper> byExecutor = new HashMap<>();

    /** @param place of the executor among equals */
    private record Keeper(BlockManagerId executor, int files, int place) {}

    /** @param files how many each executor has */
    Keepers(List<BlockManagerId> executors, Map<BlockManagerId, Integer> files) {
        executors.forEach(executor -> put(new Keeper(executor, files.getOrDefault(executor, 0), byExecutor.size())));
    }

    private void put(Keeper keeper) {
        byFiles.add(keeper);
        byExecutor.put(keeper.executor(), keeper);
    }

    boolean has(BlockManagerId executor) {
        return byExecutor.containsKey(executor);
    }

    /** The executor with the fewest files of those that may have one. The others are asked only if they have fewer. */
    Optional<BlockManagerId> first(Predicate<BlockManagerId> mayHave) {
        return byFiles.stream().map(Keeper::executor).filter(mayHave).findFirst();
    }

    /** The executor that comes first in an order; among equals, the one with the fewest files. */
    Optional<BlockManagerId> first(Comparator<BlockManagerId> order) {
        return byFiles.stream().map(Keeper::executor).min(order);
    }

    /** An executor gets one more. */
    void give(BlockManagerId executor) {
        Keeper keeper = byExecutor.get(executor);
        byFiles.remove(keeper);
        put(new Keeper(executor, keeper.files() + 1, keeper.place()));
    }
}
