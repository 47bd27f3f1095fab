/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/**
 * The map outputs of a shuffle and their groups, as the driver knows them. It knows no network: who calls {@link #plan} sends the
 * orders. Thread-safe.
 *
 * <p>While map tasks run, groups are full: k outputs of k executors. When all outputs are there, those that are left make smaller
 * groups. An output whose group fails, or loses parity while all its data is there, waits for another group.
 */
final class ShuffleGroups {
    /** An output whose groups have failed so often stays without parity. */
    private static final int ATTEMPTS = 3;

    private final int shuffle;
    private final int maps;
    private final CodeName code;
    private final long minSize;

    /** The outputs that Spark knows, by the number of the attempt. */
    private final Map<Long, Output> outputs = new LinkedHashMap<>();

    /** The attempt that counts, by the number of the map partition. */
    private final Map<Integer, Long> attempts = new HashMap<>();

    private final Map<Long, Group> groups = new TreeMap<>();
    /** Parity files of each executor. */
    private final Map<BlockManagerId, Integer> loads = new HashMap<>();

    /** Executors that had files of this shuffle and are lost. Spark's own list may have them for a while. */
    private final Set<BlockManagerId> gone = new HashSet<>();

    private long nextGroup;
    private long bytes;

    /** What is known of an output. */
    private static final class Output {
        private final long map;
        private final long bytes;
        private BlockManagerId at;
        /** Of its last group, or -1. */
        private long group = -1;

        private boolean waiting = true;
        private int tries;

        Output(long map, long bytes, BlockManagerId at) {
            this.map = map;
            this.bytes = bytes;
            this.at = at;
        }
    }

    /**
     * How far coding is.
     *
     * @param outputs map outputs that are registered
     * @param coded those that survive the loss of their executor
     */
    record Progress(int outputs, int coded) {}

    /**
     * @param maps how many map partitions the shuffle has
     * @param code of full groups
     * @param minSize bytes of all outputs before any is coded
     */
    ShuffleGroups(int shuffle, int maps, CodeName code, long minSize) {
        this.shuffle = shuffle;
        this.maps = maps;
        this.code = code;
        this.minSize = minSize;
    }

    /** A map task has ended. An output of another attempt is forgotten; the groups that it is in stay. */
    synchronized void add(int partition, long map, BlockManagerId at, long size) {
        Long replaced = attempts.put(partition, map);
        if (replaced != null) {
            forget(replaced);
        }
        outputs.put(map, new Output(map, size, at));
        bytes += size;
    }

    private void forget(long map) {
        Output output = outputs.remove(map);
        if (output != null) {
            bytes -= output.bytes;
        }
    }

    /** The file of an output has been copied to another executor, which serves it from now on. */
    synchronized void moved(long map, BlockManagerId to) {
        Output output = outputs.get(map);
        if (output == null) {
            return;
        }
        output.at = to;
        groups.computeIfPresent(
                output.group,
                (number, group) -> with(
                        group,
                        group.indexOf(map),
                        new Unit(
                                map,
                                to,
                                true,
                                group.units().get(group.indexOf(map)).length())));
    }

    /** Spark has dropped an output: its file cannot be read. */
    synchronized void removed(long map) {
        Output output = outputs.get(map);
        forget(map);
        attempts.values().remove(map);
        if (output != null) {
            groups.computeIfPresent(output.group, (number, group) -> without(group, group.indexOf(map)));
        }
    }

    /** Forgets everything: all map tasks run again. */
    synchronized void clear() {
        outputs.clear();
        attempts.clear();
        groups.clear();
        loads.clear();
        bytes = 0;
    }

    /** All files of some executors are lost. */
    synchronized void lost(Predicate<BlockManagerId> executors) {
        Stream.concat(
                        outputs.values().stream().map(output -> output.at),
                        groups.values().stream()
                                .flatMap(group -> group.units().stream().map(Unit::at)))
                .filter(executors)
                .forEach(gone::add);
        for (Group group : List.copyOf(groups.values())) {
            Group now = group;
            for (int unit = 0; unit < group.units().size(); unit++) {
                if (executors.test(group.units().get(unit).at())) {
                    now = without(now, unit);
                }
            }
            groups.put(group.number(), now);
            boolean data = now.data().stream().allMatch(Unit::there);
            boolean parity = IntStream.range(0, now.r())
                    .anyMatch(row -> executors.test(group.parity(row).at()));
            if (data && parity) {
                dissolve(now);
            }
        }
        loads.keySet().removeIf(executors);
    }

    private static Group without(Group group, int unit) {
        Unit lost = group.units().get(unit);
        return with(group, unit, new Unit(lost.file(), lost.at(), false, lost.length()));
    }

    private static Group with(Group group, int unit, Unit changed) {
        List<Unit> units = new ArrayList<>(group.units());
        units.set(unit, changed);
        return new Group(group.shuffle(), group.number(), group.code(), units);
    }

    /** Its outputs wait for other groups; until then they are decoded with what is left. */
    private void dissolve(Group group) {
        for (Unit unit : group.data()) {
            Output output = outputs.get(unit.file());
            if (output != null && output.group == group.number()) {
                output.waiting = unit.there() && ++output.tries < ATTEMPTS;
            }
        }
    }

    /** Whether an output can be read without its executor: made of other files of its group, or empty. */
    synchronized boolean decodable(long map) {
        Output output = outputs.get(map);
        boolean empty = output != null && output.bytes == 0;
        return empty
                || group(map).map(group -> group.decodes(group.indexOf(map))).orElse(false);
    }

    /** The group of an output that is registered. */
    synchronized Optional<Group> group(long map) {
        return Optional.ofNullable(outputs.get(map)).map(output -> groups.get(output.group));
    }

    /** Whether all outputs are there, and enough to be coded. */
    synchronized boolean isDue() {
        return attempts.size() == maps && bytes > 0 && bytes >= minSize;
    }

    /**
     * Makes groups of outputs that wait, if the shuffle is large enough.
     *
     * @param all executors that keep blocks
     * @return the new groups, whose parity nobody has made yet
     */
    synchronized List<Group> plan(List<BlockManagerId> all) {
        List<BlockManagerId> executors =
                all.stream().filter(executor -> !gone.contains(executor)).toList();
        boolean complete = attempts.size() == maps;
        int most = executors.size() - code.parameters().r();
        if (bytes < minSize || bytes == 0 || most < 1 || (!complete && most < code.k())) {
            return List.of();
        }
        Map<BlockManagerId, Deque<Output>> waiting = waiting(Set.copyOf(executors));
        List<Group> made = new ArrayList<>();
        int width = Math.min(code.k(), most);
        while (waiting.size() >= width || (complete && !waiting.isEmpty())) {
            List<BlockManagerId> members = waiting.entrySet().stream()
                    .sorted(Comparator.comparingInt(entry -> -entry.getValue().size()))
                    .limit(width)
                    .map(Map.Entry::getKey)
                    .toList();
            made.add(group(
                    members.stream().map(member -> waiting.get(member).poll()).toList(), holders(executors, members)));
            waiting.values().removeIf(Deque::isEmpty);
        }
        return made;
    }

    /** Outputs without a group, the longest first, so that those of a group are about equally long. */
    private Map<BlockManagerId, Deque<Output>> waiting(Set<BlockManagerId> executors) {
        Map<BlockManagerId, Deque<Output>> waiting = new LinkedHashMap<>();
        outputs.values().stream()
                .filter(output -> output.waiting && output.bytes > 0 && executors.contains(output.at))
                .sorted(Comparator.comparingLong(output -> -output.bytes))
                .forEach(output -> waiting.computeIfAbsent(output.at, at -> new ArrayDeque<>())
                        .add(output));
        return waiting;
    }

    /** Who keeps the parity: executors without data of the group, those with the fewest parity files. */
    private List<BlockManagerId> holders(List<BlockManagerId> executors, List<BlockManagerId> members) {
        Set<BlockManagerId> taken = new HashSet<>(members);
        return executors.stream()
                .filter(executor -> !taken.contains(executor))
                .sorted(Comparator.comparingInt(executor -> loads.getOrDefault(executor, 0)))
                .limit(code.parameters().r())
                .toList();
    }

    private Group group(List<Output> members, List<BlockManagerId> holders) {
        long number = nextGroup++;
        List<Unit> units = new ArrayList<>();
        for (Output member : members) {
            member.waiting = false;
            member.group = number;
            units.add(new Unit(member.map, member.at, true, 0));
        }
        for (int row = 0; row < holders.size(); row++) {
            loads.merge(holders.get(row), 1, Integer::sum);
            units.add(new Unit(Group.parityFile(number, row), holders.get(row), false, 0));
        }
        Group group = new Group(shuffle, number, shortened(members.size()), units);
        groups.put(number, group);
        return group;
    }

    /** The code with fewer data units. Not every shape has a generator of Paritas's own. */
    private CodeName shortened(int k) {
        if (k == code.k()) {
            return code;
        }
        String shape = k + "-" + code.parameters().r();
        return CodeName.parse(code.family() == CodeFamily.PARITAS ? shape : code.family() + "-" + shape);
    }

    /**
     * A parity file is there.
     *
     * @param lengths bytes of the data files, as they were read
     */
    synchronized void done(long number, int row, long[] lengths) {
        groups.computeIfPresent(number, (same, group) -> {
            Group now = group;
            for (int unit = 0; unit < lengths.length; unit++) {
                Unit data = now.units().get(unit);
                now = with(now, unit, new Unit(data.file(), data.at(), data.there(), lengths[unit]));
            }
            Unit parity = now.parity(row);
            return with(now, now.k() + row, new Unit(parity.file(), parity.at(), true, 0));
        });
    }

    /** A parity file could not be made. */
    synchronized void failed(long number) {
        Group group = groups.get(number);
        if (group != null) {
            dissolve(group);
        }
    }

    synchronized Progress progress() {
        int coded = (int) outputs.keySet().stream().filter(this::decodable).count();
        return new Progress(outputs.size(), coded);
    }
}
