/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/** Which executors dynamic allocation keeps for the files of coded shuffles. Without it nothing is done. Thread-safe. */
final class KeptExecutors {
    private final Optional<IdleExecutors> idle;

    KeptExecutors(Optional<IdleExecutors> idle) {
        this.idle = idle;
    }

    /** Once for each: a large shuffle has more files than Spark's queue of events has places. */
    void keep(Stream<BlockManagerId> executors, int shuffle) {
        idle.ifPresent(all ->
                executors.map(BlockManagerId::executorId).distinct().forEach(executor -> keep(all, executor, shuffle)));
    }

    /**
     * An executor is kept for a file that it has or is to store, unless the shuffle has ended: nobody would let it go. Spark's tracker
     * forgets a shuffle before it tells its listeners to let executors go, and us after that.
     */
    private static void keep(IdleExecutors all, String executor, int shuffle) {
        all.keep(executor, shuffle);
        if (!ShuffleCoding.tracker().containsShuffle(shuffle)) {
            all.forget(executor, List.of(shuffle));
        }
    }

    /**
     * Lets idle executors go if all shuffles that are to be coded are.
     *
     * @param present ids of all executors
     */
    void release(Set<String> present, Collection<CodedShuffle> shuffles) {
        List<CodedShuffle> due =
                shuffles.stream().filter(shuffle -> shuffle.groups().isDue()).toList();
        if (idle.isEmpty()
                || due.isEmpty()
                || !due.stream().allMatch(shuffle -> shuffle.groups().progress().isDone())) {
            return;
        }
        List<Integer> coded = due.stream().map(CodedShuffle::id).toList();
        for (String working : idle.get().release(present, holders(due), coded)) {
            due.stream()
                    .filter(shuffle -> shuffle.groups().holders().contains(working))
                    .forEach(shuffle -> keep(idle.get(), working, shuffle.id()));
        }
    }

    /** Ids of executors that have files of some shuffles. */
    static Set<String> holders(Collection<CodedShuffle> shuffles) {
        return shuffles.stream()
                .flatMap(shuffle -> shuffle.groups().holders().stream())
                .collect(Collectors.toSet());
    }
}
