/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/** The groups of a shuffle by their numbers, as they are now. Guarded by its {@link ShuffleGroups}. */
final class GroupTable {
    private final int shuffle;
    private final Map<Long, Group> groups = new TreeMap<>();
    /** How many parity files executors have, or are to make. */
    private final Map<BlockManagerId, Integer> loads = new HashMap<>();

    private long next;

    GroupTable(int shuffle) {
        this.shuffle = shuffle;
    }

    /** A new group, whose parity nobody has made yet. Its members belong to it. */
    Group create(GroupPlanner.Plan plan) {
        long number = next++;
        List<Unit> units = new ArrayList<>();
        for (Output member : plan.members()) {
            member.grouped(number);
            units.add(new Unit(member.map, member.at(), true, 0));
        }
        for (int row = 0; row < plan.holders().size(); row++) {
            units.add(new Unit(Group.parityFile(number, row), plan.holders().get(row), false, 0));
        }
        Group group = new Group(shuffle, number, plan.code(), units);
        put(group);
        return group;
    }

    /** A group; null if it is not needed any more. */
    Group get(long number) {
        return groups.get(number);
    }

    /** What a group has become. */
    void put(Group group) {
        Group before = groups.put(group.number(), group);
        if (before != null) {
            count(before, -1);
        }
        count(group, 1);
    }

    private void count(Group group, int files) {
        for (Unit parity : group.parity()) {
            loads.merge(parity.at(), files, (some, more) -> some + more == 0 ? null : some + more);
        }
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    List<Group> all() {
        return List.copyOf(groups.values());
    }

    /** Those that an output is in, the newest one first. */
    Stream<Group> of(Output output) {
        return output.groups().stream().map(groups::get);
    }

    /** Those by which an output can be made of other files. */
    Stream<Group> decoding(Output output) {
        return of(output).filter(group -> group.decodes(group.indexOf(output.map)));
    }

    /** How many parity files executors have, or are to make. */
    Map<BlockManagerId, Integer> loads() {
        return new HashMap<>(loads);
    }

    /**
     * Forgets groups that no output needs, because it is in a newer one that is whole, or because it is in a newer one and they have no
     * parity.
     *
     * @param noParity whether none of a group is there or about to come
     * @return their parity units
     */
    List<Unit> retainNeeded(Collection<Output> outputs, Predicate<Group> noParity) {
        Set<Long> needed = new HashSet<>();
        for (Output output : outputs) {
            boolean isNewest = true;
            for (long number : output.groups()) {
                Group group = groups.get(number);
                if (isNewest || !noParity.test(group)) {
                    needed.add(number);
                }
                if (group.isWhole()) {
                    break;
                }
                isNewest = false;
            }
        }
        List<Group> others = groups.values().stream()
                .filter(group -> !needed.contains(group.number()))
                .toList();
        others.forEach(group -> count(group, -1));
        if (groups.keySet().retainAll(needed)) {
            outputs.forEach(output -> output.retainGroups(needed));
        }
        return others.stream().flatMap(group -> group.parity().stream()).toList();
    }
}
