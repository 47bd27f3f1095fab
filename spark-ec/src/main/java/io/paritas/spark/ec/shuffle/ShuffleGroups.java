/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.job.ApplicationExecutors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/**
 * The map outputs of a shuffle that executors have, and their groups, as the driver knows them. It knows no network: who calls {@link #orderMendings},
 * {@link #formGroups}, {@link #orderRebuilds} and {@link #forgetSuperfluous} sends the orders. Thread-safe.
 *
 * <p>While map tasks run, groups are full: k outputs of k executors. When all outputs are there, those that are left make smaller
 * groups. A group that loses files stays: each is made again by an executor that has none of its others. An output whose group fails, or
 * has two files on one executor while all its data is there, or has lost a file for good, waits for another group; the old one counts
 * until all files of the new one are there. What has failed too often rests for some rounds of repair, and is tried again.
 */
final class ShuffleGroups {
    private static final long NONE = -1;

    private final CodeName code;
    private final long minSize;
    private final Predicate<String> left;

    /** The outputs that Spark knows, but for those in its fallback storage, by the number of the attempt. */
    private final Map<Long, Output> outputs = new LinkedHashMap<>();

    /** Outputs that have a group are not looked at in each plan. There are none before {@link #begun}. */
    private final WaitingOutputs waiting = new WaitingOutputs();

    /** The attempt that counts, by the number of the map partition; {@link #NONE} where there is none. */
    private final long[] attempts;

    /** How many partitions have one. */
    private int present;

    private final GroupTable groups;

    /** Numbers of groups that may have parity that nobody makes. The others are not looked at when map tasks end. */
    private final Set<Long> unmade = new TreeSet<>();

    private final Departures departures = new Departures();

    private long bytes;
    /** Whether all outputs have been there. If some are lost since then, the others wait for no full groups. */
    private boolean complete;

    private boolean dear;
    /** Whether outputs wait for groups. Those of most shuffles never do: they are not enough, nor dear. */
    private boolean begun;

    /**
     * How far coding is.
     *
     * @param outputs map outputs that are registered, but for those in the fallback storage
     * @param coded those that are there, and survive the loss of their executor
     */
    record Progress(int outputs, int coded) {
        boolean isDone() {
            return coded == outputs;
        }
    }

    /**
     * @param maps how many map partitions the shuffle has
     * @param code of full groups
     * @param minSize bytes of all outputs before any is coded
     * @param left whether the executor of an id has left the application; for many threads
     */
    ShuffleGroups(int shuffle, int maps, CodeName code, long minSize, Predicate<String> left) {
        this.groups = new GroupTable(shuffle);
        this.attempts = new long[maps];
        Arrays.fill(attempts, NONE);
        this.code = code;
        this.minSize = minSize;
        this.left = left;
    }

    /** Whether an executor has left the application, with all its files. */
    boolean hasLeft(BlockManagerId executor) {
        return left.test(executor.executorId());
    }

    /** A map task has ended. An output of another attempt is forgotten; the groups that it is in stay, as long as its file is there. */
    synchronized void add(int partition, long map, BlockManagerId at, long size) {
        long replaced = attempts[partition];
        attempts[partition] = map;
        if (replaced == NONE) {
            present++;
        } else {
            Output former = forget(replaced);
            if (former != null && former.isLost()) {
                dissolveGroups(former);
            }
        }
        complete |= present == attempts.length;
        if (ApplicationExecutors.isFallbackStorage(at)) {
            return;
        }
        there(at);
        Output output = new Output(map, size, at);
        outputs.put(map, output);
        bytes += size;
        waits(output);
        begin();
    }

    /** An output waits for a group, if it wants one and any do. */
    private void waits(Output output) {
        if (begun) {
            waiting.add(output);
        }
    }

    private void begin() {
        if (!begun && isWorthIt()) {
            begun = true;
            outputs.values().forEach(waiting::add);
        }
    }

    /** An executor says that it has a file. It may have left since then. */
    private void there(BlockManagerId executor) {
        if (!hasLeft(executor)) {
            departures.there(executor);
        }
    }

    private Output forget(long map) {
        Output output = outputs.remove(map);
        if (output != null) {
            bytes -= output.bytes;
            waiting.remove(output);
        }
        return output;
    }

    synchronized boolean has(long map) {
        return outputs.containsKey(map);
    }

    /** An output is at another executor, which serves it from now on, or in Spark's fallback storage, where no executor can lose it. */
    synchronized void moved(long map, BlockManagerId to) {
        if (ApplicationExecutors.isFallbackStorage(to)) {
            // Who has copied it can be read until it has left.
            Optional.ofNullable(forget(map)).ifPresent(this::dissolveGroups);
            return;
        }
        Output output = outputs.get(map);
        if (output == null) {
            return;
        }
        there(to);
        waiting.remove(output);
        output.moved(to);
        waits(output);
        for (long number : output.groups()) {
            Group group = groups.get(number);
            int unit = group.indexOf(map);
            Group now = group.with(
                    unit, new Unit(map, to, true, group.units().get(unit).length()));
            groups.put(now);
            if (now.hasAllData() && now.isCrowded()) {
                dissolve(now);
            }
        }
    }

    /** Spark has dropped an output: its file cannot be read. */
    synchronized void removed(int partition, long map) {
        if (attempts[partition] == map) {
            attempts[partition] = NONE;
            present--;
        }
        Output output = forget(map);
        if (output != null) {
            for (long number : output.groups()) {
                Group group = groups.get(number);
                groups.put(group.without(group.indexOf(map)));
            }
            dissolveGroups(output);
        }
    }

    /** Forgets everything: all map tasks run again. */
    synchronized void clear() {
        outputs.clear();
        waiting.clear();
        Arrays.fill(attempts, NONE);
        present = 0;
        bytes = 0;
        begun = false;
        complete = false;
    }

    /** All files of some executors are lost. */
    synchronized void lost(Predicate<BlockManagerId> executors) {
        for (Output output : outputs.values()) {
            if (executors.test(output.at())) {
                departures.gone(output.at());
                waiting.remove(output);
                output.lost();
            }
            if (output.home() != null && executors.test(output.home())) {
                departures.gone(output.home());
                output.rebuiltBy(null);
            }
            if (output.hasFailedAt(executors)) {
                forgetFailures(output);
            }
        }
        for (Group group : groups.all()) {
            if (group.units().stream().map(Unit::at).noneMatch(executors)) {
                continue;
            }
            group.units().stream().map(Unit::at).filter(executors).forEach(departures::gone);
            group.parity().stream()
                    .filter(parity -> executors.test(parity.at()))
                    .forEach(parity -> departures.failed(parity.file()));
            groups.put(group.without(executors));
            if (group.parity().stream().anyMatch(departures::isUnmade)) {
                unmade.add(group.number());
            }
            forgetFailures(group);
            if (hasLostForGood(groups.get(group.number()))) {
                dissolve(group);
            }
        }
    }

    /** Whether a group has lost the file of an attempt that was replaced. Nobody makes it again. */
    private boolean hasLostForGood(Group group) {
        return group.data().stream().anyMatch(unit -> !unit.there() && !has(unit.file()));
    }

    /** Its parity is there, or an executor is lost that may have been the cause. Outputs that rest wait again. */
    private void forgetFailures(Group group) {
        departures.forgetRounds(group.parity());
        members(group).filter(Objects::nonNull).forEach(this::forgetFailures);
    }

    private void forgetFailures(Output output) {
        output.forgetFailures();
        waits(output);
    }

    /** Its outputs wait for other groups, unless they are in newer ones. */
    private void dissolve(Group group) {
        members(group).filter(output -> isNewest(group, output)).forEach(output -> {
            output.ungrouped();
            waits(output);
        });
    }

    /** Nobody waits for the file of an output that will not be there again. */
    private void dissolveGroups(Output output) {
        groups.of(output).forEach(this::dissolve);
    }

    /** The outputs of a group; null for each that Spark does not know. */
    private Stream<Output> members(Group group) {
        return group.data().stream().map(unit -> outputs.get(unit.file()));
    }

    /** @param output null if Spark does not know it; it may have come again, and be in no group yet */
    private static boolean isNewest(Group group, Output output) {
        return output != null && !output.groups().isEmpty() && output.groups().get(0) == group.number();
    }

    /** Whether an output can be read without its executor: made of other files of its group, or empty. */
    synchronized boolean decodable(long map) {
        Output output = outputs.get(map);
        return output != null
                && (output.bytes == 0 || groups.decoding(output).findAny().isPresent());
    }

    /** The group by which an output that is registered is decoded, or would be if more of its files were there. */
    synchronized Optional<Group> group(long map) {
        return Optional.ofNullable(outputs.get(map))
                .flatMap(output -> groups.decoding(output).findFirst().or(() -> groups.of(output)
                        .findFirst()));
    }

    /** Outputs take long to be computed again: they are coded however small they are. */
    synchronized void markDear() {
        dear = true;
        begin();
    }

    /** A round of repair begins: outputs that have rested are tried again. */
    synchronized void beginRound() {
        if (!begun) {
            return;
        }
        for (Output output : outputs.values()) {
            if (output.hasRested()) {
                waits(output);
            }
        }
    }

    private boolean isWorthIt() {
        return bytes > 0 && (dear || bytes >= minSize);
    }

    /** Whether all outputs are there, or have been, and are enough to be coded. */
    synchronized boolean isDue() {
        return complete && isWorthIt();
    }

    /**
     * Finds executors that make parity that is lost, or could not be made: one that has no other file of the group. Where there is none,
     * and none is about to come, the outputs of the group wait for another one.
     *
     * @param all executors that keep blocks
     * @param expected executors that are about to come in place of lost ones
     */
    synchronized List<Departures.Mending> orderMendings(List<BlockManagerId> all, int expected) {
        unmade.removeIf(number -> !isUnmade(number));
        if (unmade.isEmpty()) {
            return List.of();
        }
        Keepers keepers = new Keepers(departures.staying(all), groups.loads());
        List<Departures.Mending> mendings = new ArrayList<>();
        for (long number : unmade) {
            Group group = groups.get(number);
            List<Unit> wanted =
                    group.parity().stream().filter(departures::isUnmade).toList();
            if (group.hasAllData()) {
                Group mended = isCurrent(group) ? departures.withKeepers(group, outputs, keepers) : group;
                if (expected == 0 && mended.parity().stream().anyMatch(departures::isUnmade)) {
                    dissolve(group);
                    continue;
                }
                groups.put(mended);
                wanted.stream()
                        .map(parity -> mended.parity(Group.rowOf(parity.file())))
                        .filter(parity -> !departures.isUnmade(parity))
                        .forEach(parity -> mendings.add(new Departures.Mending(mended, parity)));
            }
        }
        return mendings;
    }

    private boolean isUnmade(long number) {
        Group group = groups.get(number);
        return group != null && group.parity().stream().anyMatch(departures::isUnmade);
    }

    /** Whether all outputs of a group are in no newer one, want none, and have not failed too often. */
    private boolean isCurrent(Group group) {
        return members(group).allMatch(output -> isNewest(group, output) && output.isGrouped() && output.isHopeful());
    }

    /**
     * Makes groups of outputs that wait, if the shuffle is large enough, or dear.
     *
     * @param all executors that keep blocks
     * @param expected executors that are about to come in place of lost ones
     * @return the new groups, whose parity nobody has made yet
     */
    synchronized List<Group> formGroups(List<BlockManagerId> all, int expected) {
        if (!isWorthIt()) {
            return List.of();
        }
        GroupPlanner planner = new GroupPlanner(code, departures.staying(all), groups.loads());
        List<GroupPlanner.Plan> plans =
                !complete ? planner.full(waiting) : expected == 0 ? planner.all(waiting) : planner.patient(waiting);
        plans.forEach(plan -> plan.members().forEach(waiting::remove));
        return plans.stream().map(groups::create).toList();
    }

    /**
     * A parity file is there.
     *
     * @param by who has made it
     * @param lengths bytes of the data files, as they were read
     * @return false if nobody needs this file
     */
    synchronized boolean done(long number, int row, BlockManagerId by, long[] lengths) {
        Group group = groups.get(number);
        if (group == null) {
            return false;
        }
        Unit parity = group.parity(row);
        if (!parity.at().equals(by) || departures.isGone(by)) {
            return false; // somebody else is asked
        }
        departures.forgetFailure(parity.file());
        Group now = group.withLengths(lengths).with(group.k() + row, new Unit(parity.file(), by, true, 0));
        groups.put(now);
        if (now.hasAllParity()) {
            forgetFailures(now);
        }
        return true;
    }

    /**
     * A parity file could not be made. That counts once for all files that are ordered together. It does not count against outputs that one
     * of them was lost, nor that who was to make it was.
     */
    synchronized void failed(long number, int row, BlockManagerId by) {
        Group group = groups.get(number);
        if (group != null && group.parity(row).at().equals(by)) {
            departures.failed(group.parity(row).file());
            unmade.add(number);
            if (group.hasAllData() && departures.countFailure(group, row)) {
                members(group).filter(Objects::nonNull).forEach(Output::failed);
            }
        }
    }

    /**
     * Orders files of lost outputs to be made again, and those of executors that leave to be copied: by executors that have no other
     * file of the group if there are any.
     */
    synchronized List<Departures.Rebuild> orderRebuilds(List<BlockManagerId> all, int expected) {
        return groups.isEmpty() ? List.of() : departures.orderRebuilds(outputs, groups, all, expected);
    }

    /** The file of an output could not be made again, or copied, by the one that was asked last. */
    synchronized void rebuildFailed(long map, BlockManagerId by) {
        Output output = outputs.get(map);
        if (output != null && by.equals(output.home())) {
            output.rebuildFailed();
            if (output.isGivenUp()) {
                dissolveGroups(output);
            }
        }
    }

    private boolean hasNoParity(Group group) {
        return group.parity().stream().allMatch(departures::isUnmade);
    }

    /** Forgets groups that nobody needs any more; returns their parity files on executors that stay. One that leaves takes no orders. */
    synchronized List<Unit> forgetSuperfluous() {
        List<Unit> superfluous = groups.retainNeeded(outputs.values(), this::hasNoParity);
        superfluous.forEach(parity -> departures.forgetFailure(parity.file()));
        departures.forgetRounds(superfluous);
        return superfluous.stream()
                .filter(unit -> unit.there() && departures.stays(unit.at()))
                .toList();
    }

    /**
     * An executor is to leave: it gets no more files, and its parity is made elsewhere. Those of its outputs wait to be copied.
     *
     * @return false if that is known
     */
    synchronized boolean beginLeaving(BlockManagerId executor) {
        boolean isNews = departures.beginLeaving(executor);
        if (isNews) {
            groups.all().stream()
                    .filter(group -> group.hasAllData() && group.isMadeBy(executor::equals))
                    .forEach(this::dissolve);
        }
        return isNews;
    }

    /** Whether others could take over an output that is lost, or on an executor that leaves, and none was asked to. */
    synchronized boolean isUnplaced(long map) {
        Output output = outputs.get(map);
        return output != null && isUnplaced(output);
    }

    /** Whether others could take over an output that the parity of an executor protects, or protect it, and none was asked to. */
    synchronized boolean isUnplaced(BlockManagerId executor) {
        return groups.all().stream()
                .filter(group -> group.isMadeBy(executor::equals))
                .flatMap(this::members)
                .anyMatch(output -> output != null && (output.isWaiting() || isUnplaced(output)));
    }

    private boolean isUnplaced(Output output) {
        return departures.isWanted(output) && groups.decoding(output).findAny().isPresent();
    }

    /**
     * What an executor that leaves does about an output. Who asks has sent {@link #orderRebuilds} if it was {@linkplain #isUnplaced(long)
     * unplaced}.
     */
    synchronized Departures.Parting parting(long map, BlockManagerId executor) {
        return departures.parting(outputs.get(map), executor);
    }

    /**
     * What an executor that leaves does about its parity. Who asks has made a {@link #formGroups} if some output was {@linkplain
     * #isUnplaced(BlockManagerId) unplaced}.
     */
    synchronized Departures.Parting parting(BlockManagerId executor) {
        return departures.parting(groups, executor, outputs::get);
    }

    /** Ids of executors that have outputs, or parity, or are to make some. */
    synchronized Set<String> holders() {
        Stream<BlockManagerId> data = outputs.values().stream()
                .filter(output -> output.bytes > 0 && !output.isLost())
                .map(Output::at);
        Stream<BlockManagerId> homes =
                outputs.values().stream().map(Output::home).filter(Objects::nonNull);
        Stream<BlockManagerId> parity = groups.loads().keySet().stream();
        return Stream.of(data, homes, parity)
                .flatMap(all -> all)
                .filter(executor -> !departures.isGone(executor))
                .map(BlockManagerId::executorId)
                .collect(Collectors.toSet());
    }

    /** About how long all outputs are together. */
    synchronized long bytes() {
        return bytes;
    }

    /** About how long the outputs of a group are together that Spark knows. */
    synchronized long bytes(Group group) {
        return members(group)
                .filter(Objects::nonNull)
                .mapToLong(output -> output.bytes)
                .sum();
    }

    /** How long all parity files are together that are there now. */
    synchronized long parityBytes() {
        return groups.all().stream().mapToLong(Group::parityBytes).sum();
    }

    synchronized Progress progress() {
        int coded = (int) outputs.values().stream()
                .filter(output -> output.bytes == 0 || !output.isLost())
                .filter(output -> decodable(output.map))
                .count();
        return new Progress(outputs.size(), coded);
    }
}
