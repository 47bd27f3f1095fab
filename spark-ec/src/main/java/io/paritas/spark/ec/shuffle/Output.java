/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/**
 * What the driver knows of a map output. There are very many, of which most are in no group, or in one. Guarded by its {@link
 * ShuffleGroups}.
 */
final class Output {
    /** An output whose groups, or homes, have failed so often rests, until one of their executors is lost, or for some rounds. */
    private static final int ATTEMPTS = 3;

    /** Rounds of repair that it rests first. Each further failure doubles them. */
    private static final int REST = 12;

    /** How often they are doubled at most. */
    private static final int DOUBLINGS = 6;

    /** The number of the attempt. */
    final long map;

    final long bytes;

    /** Who has, or had, its file. */
    private BlockManagerId at;

    private boolean lost;
    /** Who makes its file again, or copies it, or null. */
    private BlockManagerId home;

    /** Who could not make its file, or copy it. */
    private List<BlockManagerId> failedHomes = List.of();

    private List<Long> groups = List.of();

    private boolean grouped;
    private int failures;

    /** Rounds of repair that it is not coded in. */
    private int rest;

    Output(long map, long bytes, BlockManagerId at) {
        this.map = map;
        this.bytes = bytes;
        this.at = at;
    }

    BlockManagerId at() {
        return at;
    }

    BlockManagerId home() {
        return home;
    }

    void lost() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    void moved(BlockManagerId to) {
        at = to;
        lost = false;
        home = null;
        forgetFailures();
    }

    void rebuiltBy(BlockManagerId executor) {
        home = executor;
    }

    /** Numbers of the groups that it is in, the newest one first. */
    List<Long> groups() {
        return groups;
    }

    void grouped(long group) {
        groups = Stream.concat(Stream.of(group), groups.stream()).toList();
        grouped = true;
    }

    /** Other groups are not there any more. */
    void retainGroups(Set<Long> some) {
        if (!some.containsAll(groups)) {
            groups = groups.stream().filter(some::contains).toList();
        }
    }

    /** It wants another group. */
    void ungrouped() {
        grouped = false;
    }

    /** The parity of its group could not be made. */
    void failed() {
        failures++;
        if (failures >= ATTEMPTS) {
            rest = REST << Math.min(failures - ATTEMPTS, DOUBLINGS);
        }
    }

    /** Its parity or its file could be made, or what prevented that may be gone. */
    void forgetFailures() {
        failures = 0;
        rest = 0;
        failedHomes = List.of();
    }

    /** Whether its group is worth another attempt, or another group. */
    boolean isHopeful() {
        return rest == 0;
    }

    /** Whether it rests if one more fails. */
    boolean isLastAttempt() {
        return failures >= ATTEMPTS - 1;
    }

    /** A round of repair begins; returns whether it was the last one to rest. */
    boolean hasRested() {
        return rest > 0 && --rest == 0;
    }

    /** Its home could not make its file, or copy it. Its group is as before. */
    void rebuildFailed() {
        failedHomes =
                Stream.concat(failedHomes.stream(), Stream.of(home)).distinct().toList();
        home = null;
        failed();
    }

    /** Whether one of some executors could not make its file, or copy it. */
    boolean hasFailedAt(Predicate<BlockManagerId> executors) {
        return failedHomes.stream().anyMatch(executors);
    }

    /** Whether its file is lost, and nobody is asked to make it again for a while. */
    boolean isGivenUp() {
        return lost && !isHopeful();
    }

    /** Whether it wants a group, and gives its file. */
    boolean isWaiting() {
        return !grouped && !lost && bytes > 0 && isHopeful();
    }

    boolean isGrouped() {
        return grouped;
    }

    /**
     * Whether its file is to be made again, or copied, and nobody does so.
     *
     * @param leaving executors whose files are to be elsewhere
     */
    boolean isWanted(Set<BlockManagerId> leaving) {
        return (lost || leaving.contains(at)) && home == null && bytes > 0 && isHopeful();
    }
}
