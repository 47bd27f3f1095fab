/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import org.apache.spark.storage.BlockManagerId;

/**
 * The executors that have left a shuffle, are to leave, or could not make a file, and who takes over. Guarded by its {@link
 * ShuffleGroups}.
 */
final class Departures {
    /** Executors that had files of this shuffle and are lost. Spark's own list may have them for a while. */
    private final Set<BlockManagerId> gone = new HashSet<>();

    /** Executors that are to leave. They still have files. */
    private final Set<BlockManagerId> leaving = new HashSet<>();

    /** Parity files that an executor could not make, or has lost. */
    private final Set<Long> failed = new HashSet<>();

    /** How often parity files could not be made while all data was there. */
    private final Map<Long, Integer> failures = new HashMap<>();

    /**
     * An output whose file is lost, or on an executor that leaves, and is to be at another one.
     *
     * @param home who makes, or copies, and keeps it
     */
    record Rebuild(Group group, long map, BlockManagerId home) {}

    /**
     * A parity file that an executor is to make in place of one that is lost, or could not be made.
     *
     * @param parity the file, and who makes it
     */
    record Mending(Group group, Unit parity) {}

    /** What an executor that is to leave does about a file. */
    enum Parting {
        /** Nobody needs it there. */
        NOTHING,
        /** It waits: others are taking over. */
        WAIT,
        /** Nobody can take over: Spark copies it. */
        COPY
    }

    void gone(BlockManagerId executor) {
        gone.add(executor);
    }

    /** An executor has a file: if it was taken for lost, because files of it could not be fetched, it is there. */
    void there(BlockManagerId executor) {
        gone.remove(executor);
    }

    /** An executor could not make a parity file, or is lost. */
    void failed(long parityFile) {
        failed.add(parityFile);
    }

    /** Counts a failure; whether it is the first one of a round of orders: no other file of the group has failed as often. */
    boolean countFailure(Group group, int row) {
        int most = group.parity().stream()
                .mapToInt(parity -> failures.getOrDefault(parity.file(), 0))
                .max()
                .orElse(0);
        return failures.merge(group.parity(row).file(), 1, Integer::sum) > most;
    }

    /** Rounds are counted from 0 again. */
    void forgetRounds(List<Unit> parity) {
        parity.forEach(unit -> failures.remove(unit.file()));
    }

    /** A failure does not count any more: the file is there, ordered again, or not needed. */
    void forgetFailure(long parityFile) {
        failed.remove(parityFile);
    }

    /** Whether a parity file is not there, and nobody makes it. */
    boolean isUnmade(Unit parity) {
        return failed.contains(parity.file());
    }

    boolean isGone(BlockManagerId executor) {
        return gone.contains(executor);
    }

    /** An executor is to leave; false if that is known. */
    boolean beginLeaving(BlockManagerId executor) {
        return leaving.add(executor);
    }

    /** Whether an executor is neither lost nor to leave. */
    boolean stays(BlockManagerId executor) {
        return !gone.contains(executor) && !leaving.contains(executor);
    }

    /** Those that are neither lost nor to leave: only they get files. */
    List<BlockManagerId> staying(List<BlockManagerId> all) {
        return all.stream().filter(this::stays).toList();
    }

    /**
     * Finds homes for files that are lost, or on executors that leave: rather those that have no other file of the group, and of these
     * rather one that has not failed. For the last attempt any that has not failed is better than one that has.
     *
     * @param expected executors that are about to come. A lost file waits for them if all others have a file of its group.
     */
    List<Rebuild> orderRebuilds(Map<Long, Output> outputs, GroupTable groups, List<BlockManagerId> all, int expected) {
        Keepers homes = new Keepers(staying(all), Map.of());
        List<Rebuild> rebuilds = new ArrayList<>();
        outputs.values().stream().filter(this::isWanted).forEach(output -> groups.decoding(output)
                .findFirst()
                .flatMap(group -> home(output, group, outputs, homes)
                        .filter(home -> expected == 0 || !output.isLost() || files(group, home, outputs) == 0)
                        .map(home -> new Rebuild(group, output.map, home)))
                .ifPresent(rebuild -> {
                    homes.give(rebuild.home());
                    output.rebuiltBy(rebuild.home());
                    rebuilds.add(rebuild);
                }));
        return rebuilds;
    }

    /** The first that has no file of the group and has not failed. Where there is none, executors are few: all are compared. */
    private static Optional<BlockManagerId> home(Output output, Group group, Map<Long, Output> outputs, Keepers homes) {
        return homes.first(executor -> files(group, executor, outputs) == 0 && !output.hasFailedAt(executor::equals))
                .or(() -> homes.first(Comparator.<BlockManagerId, Boolean>comparing(
                                executor -> !output.isLastAttempt() && files(group, executor, outputs) > 0)
                        .thenComparing(executor -> output.hasFailedAt(executor::equals))
                        .thenComparingLong(executor -> files(group, executor, outputs))));
    }

    /** Whether an output's file is to be made again, or copied, and nobody does so. */
    boolean isWanted(Output output) {
        return output.isWanted(leaving);
    }

    /** How many files of a group an executor has, or is to make. */
    private static long files(Group group, BlockManagerId executor, Map<Long, Output> outputs) {
        long coming = group.data().stream()
                .map(unit -> outputs.get(unit.file()))
                .filter(output -> output != null && executor.equals(output.home()))
                .count();
        return group.filesAt(executor) + coming;
    }

    /**
     * The group with keepers for parity that nobody makes, as far as there are any: rather not who could not make it.
     *
     * @param keepers who may keep files; they get the new ones
     */
    Group withKeepers(Group group, Map<Long, Output> outputs, Keepers keepers) {
        Group mended = group;
        for (int row = 0; row < group.r(); row++) {
            Group before = mended;
            Unit unmade = group.parity(row);
            if (isUnmade(unmade)) {
                int unit = group.k() + row;
                mended = keepers.first(executor -> files(before, executor, outputs) == 0)
                        .or(() -> Optional.of(unmade.at())
                                .filter(same -> keepers.has(same) && files(before, same, outputs) == 1))
                        .map(keeper -> {
                            keepers.give(keeper);
                            forgetFailure(unmade.file());
                            return before.with(unit, new Unit(unmade.file(), keeper, false, 0));
                        })
                        .orElse(before);
            }
        }
        return mended;
    }

    /** @param output null if Spark does not know it */
    Parting parting(Output output, BlockManagerId executor) {
        if (output == null || output.bytes == 0 || !output.at().equals(executor)) {
            return Parting.NOTHING;
        }
        return output.home() == null ? Parting.COPY : Parting.WAIT;
    }

    /** The executor waits while others make parity in place of its own. */
    Parting parting(GroupTable groups, BlockManagerId executor, LongFunction<Output> outputs) {
        boolean waits = groups.all().stream()
                .filter(group -> group.isMadeBy(executor::equals))
                .flatMap(group -> group.data().stream())
                .map(unit -> outputs.apply(unit.file()))
                .anyMatch(output -> output != null && isGettingParity(output, groups));
        return waits ? Parting.WAIT : Parting.NOTHING;
    }

    private boolean isGettingParity(Output output, GroupTable groups) {
        return output.isGrouped()
                && groups.of(output)
                        .findFirst()
                        .filter(newest -> !newest.hasAllParity() && !newest.isMadeBy(leaving::contains))
                        .isPresent();
    }
}
