/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.job.DaemonThreads;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.plugin.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's part: which map outputs are coded together, who makes the parity, and what is left of each group. Thread-safe. */
final class ShuffleCoding implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleCoding.class);

    private static final byte[] NOTHING = {};

    /** How long outputs whose parity could not be made wait for another group. */
    private static final long RETRY_MILLIS = 1_000;

    /** Of the application that runs in this JVM, or null. */
    private static volatile ShuffleCoding current;

    private final ShuffleSettings settings;
    private final Optional<IdleExecutors> idle;
    private final UnaryOperator<Set<String>> gone;
    private final Map<Integer, KnownShuffle> shuffles = new ConcurrentHashMap<>();
    /** Shuffles to be looked at. */
    private final Set<Integer> changed = ConcurrentHashMap.newKeySet();

    private final Members members;

    private final ScheduledExecutorService planner =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("paritas-shuffle-plan"));
    private final Orders orders = new Orders();

    /** How many outputs could not be decoded, by the id of their lost location. */
    private final Map<String, Integer> undecodable = new ConcurrentHashMap<>();

    /**
     * @param idle who lets idle executors go, if anybody does
     * @param gone finds those of some executors that have left the application
     */
    ShuffleCoding(ShuffleSettings settings, Optional<IdleExecutors> idle, UnaryOperator<Set<String>> gone) {
        this.settings = settings;
        this.idle = idle;
        this.gone = gone;
        long repair = settings.repairInterval().toMillis();
        // Dynamic allocation replaces only those that tasks wait for; without repair nobody would look again.
        boolean waits = idle.isEmpty() && repair > 0;
        this.members = new Members(settings.code(), waits ? settings.repairDelay() : Duration.ZERO);
        if (repair > 0) {
            var unused = planner.scheduleWithFixedDelay(this::repair, repair, repair, TimeUnit.MILLISECONDS);
        }
    }

    static ExecutorService daemons(int threads, String name) {
        return Executors.newFixedThreadPool(threads, DaemonThreads.named(name));
    }

    static Optional<ShuffleCoding> current() {
        return Optional.ofNullable(current);
    }

    static void start(ShuffleCoding coding) {
        current = coding;
    }

    /** Keeps the outputs of a new shuffle, instead of Spark's own list of them. */
    ShuffleStatus register(int shuffle, int maps, int partitions) {
        ShuffleGroups groups = new ShuffleGroups(shuffle, maps, settings.code(), settings.minSize());
        ShuffleCounts counts = new ShuffleCounts();
        shuffles.put(shuffle, new KnownShuffle(groups, partitions, counts));
        return new CodedShuffleStatus(
                shuffle, maps, partitions, groups, counts, undecodable, members::hasLeft, this::changed);
    }

    /** The map tasks of a shuffle have run so long, with those of uncoded shuffles that they read. */
    void computed(int shuffle, Duration taskTime) {
        KnownShuffle known = shuffles.get(shuffle);
        boolean dear = !settings.minTaskTime().isZero() && taskTime.compareTo(settings.minTaskTime()) >= 0;
        if (known != null && dear) {
            known.groups().dear();
            changed(shuffle);
        }
    }

    /** Whether a shuffle is there and is not coded. */
    boolean isUncoded(int shuffle) {
        KnownShuffle known = shuffles.get(shuffle);
        return known != null && !known.groups().isDue();
    }

    void unregister(int shuffle) {
        shuffles.remove(shuffle);
    }

    /** Sums up how far the coding of all shuffles is. */
    int count(ToIntFunction<ShuffleGroups.Progress> what) {
        return shuffles.values().stream()
                .map(shuffle -> shuffle.groups().progress())
                .mapToInt(what)
                .sum();
    }

    /** What there is to say about each shuffle, for Spark's UI. */
    Report report() {
        return new Report("Coded shuffles", KnownShuffle.COLUMNS, KnownShuffle.rows(shuffles));
    }

    /** An executor has left, with all its files. Outputs that it adds later are removed, too. */
    void executorLost(String executor) {
        members.left(executor);
        tracker().removeOutputsOnExecutor(executor);
    }

    private static MapOutputTrackerMaster tracker() {
        return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    }

    private void changed(int shuffle) {
        if (changed.add(shuffle)) {
            try {
                planner.execute(() -> {
                    changed.remove(shuffle);
                    Optional.ofNullable(shuffles.get(shuffle))
                            .ifPresent(known -> plan(shuffle, known.groups(), members.call()));
                });
            } catch (RejectedExecutionException e) {
                LOG.debug("the application has ended: shuffle {} is not coded", shuffle);
            }
        }
    }

    /** An executor that cannot be reached may have died: Spark hears of that, but not at once. */
    private void changedLater(int shuffle) {
        try {
            var unused = planner.schedule(() -> changed(shuffle), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the application has ended: shuffle {} is not coded", shuffle);
        }
    }

    private void plan(int shuffle, ShuffleGroups groups, Members.Roll roll) {
        if (groups.isDue()) {
            members.tellFewer(roll.staying().size());
        }
        List<Departures.Mending> mendings = new ArrayList<>(groups.mend(roll.staying(), roll.expected()));
        for (Group group : groups.plan(roll.staying(), roll.expected())) {
            group.parity().forEach(parity -> mendings.add(new Departures.Mending(group, parity)));
        }
        keep(mendings.stream().map(mending -> mending.parity().at()), shuffle);
        mendings.forEach(mending -> makeParity(mending.group(), mending.parity()));
    }

    /** Once for each: a large shuffle has more files than Spark's queue of events has places. */
    private void keep(Stream<BlockManagerId> executors, int shuffle) {
        executors.map(BlockManagerId::executorId).distinct().forEach(executor -> keep(executor, shuffle));
    }

    /**
     * An executor is kept for a file that it has or is to store, unless the shuffle has ended: nobody would let it go. Spark's tracker
     * forgets a shuffle before it tells its listeners to let executors go, and us after that.
     */
    private void keep(String executor, int shuffle) {
        idle.ifPresent(all -> {
            all.keep(executor, shuffle);
            if (!tracker().containsShuffle(shuffle)) {
                all.forget(executor, List.of(shuffle));
            }
        });
    }

    private void makeParity(Group group, Unit parity) {
        orders.send(
                parity.at(),
                RequestId.makeParity(group.shuffle(), parity.file()),
                group.toBytes(),
                failure -> failed(group.shuffle(), parity.file(), parity.at(), failure.toString()));
    }

    private void repair() {
        try {
            findGone();
            if (!shuffles.isEmpty()) {
                Members.Roll roll = members.call();
                shuffles.forEach((shuffle, known) -> repair(shuffle, known, roll));
                idle.ifPresent(all -> release(all, roll.present()));
            }
        } catch (Throwable e) { // Spark throws checked ones that it does not declare, and none may end this.
            LOG.warn("lost map outputs are looked for again later", e);
        }
    }

    /** Spark tells of executors that are lost, but forgets events when its listeners are slow. */
    private void findGone() {
        Set<String> holders = holders(shuffles.values().stream());
        gone.apply(holders).forEach(this::executorLost);
    }

    private static Set<String> holders(Stream<KnownShuffle> shuffles) {
        return shuffles.flatMap(known -> known.groups().holders().stream()).collect(Collectors.toSet());
    }

    private void release(IdleExecutors idleExecutors, Set<String> present) {
        List<Map.Entry<Integer, KnownShuffle>> due = shuffles.entrySet().stream()
                .filter(entry -> entry.getValue().groups().isDue())
                .toList();
        if (!due.isEmpty()
                && due.stream()
                        .allMatch(entry -> entry.getValue().groups().progress().isDone())) {
            List<Integer> coded = due.stream().map(Map.Entry::getKey).toList();
            Set<String> holders = holders(due.stream().map(Map.Entry::getValue));
            for (String working : idleExecutors.release(present, holders, coded)) {
                due.stream()
                        .filter(entry -> entry.getValue().groups().holders().contains(working))
                        .forEach(entry -> keep(working, entry.getKey()));
            }
        }
    }

    /** Lost outputs are made again, those that have waited get a group, and parity that nobody needs is deleted. */
    private void repair(int shuffle, KnownShuffle known, Members.Roll roll) {
        plan(shuffle, known.groups(), roll);
        rebuild(shuffle, known, roll);
        for (Unit parity : known.groups().superfluous()) {
            delete(shuffle, parity.at(), parity.file());
        }
    }

    private void rebuild(int shuffle, KnownShuffle known, Members.Roll roll) {
        List<Departures.Rebuild> rebuilds = known.groups().rebuilds(roll.staying(), roll.expected());
        keep(rebuilds.stream().map(Departures.Rebuild::home), shuffle);
        for (Departures.Rebuild rebuild : rebuilds) {
            orders.send(
                    rebuild.home(),
                    RequestId.rebuild(shuffle, rebuild.map(), known.partitions()),
                    rebuild.group().toBytes(),
                    failure -> rebuildFailed(shuffle, rebuild.map(), failure.toString()));
        }
    }

    /** What an executor that is to leave does about a map output, after others were asked to take over. */
    Departures.Parting parting(int shuffle, BlockManagerId executor, long map) {
        return parting(shuffle, executor, groups -> groups.isUnplaced(map), groups -> groups.parting(map, executor));
    }

    /** What an executor that is to leave does about its parity of a shuffle, after others were asked to make it. */
    Departures.Parting parting(int shuffle, BlockManagerId executor) {
        return parting(shuffle, executor, groups -> groups.isUnplaced(executor), groups -> groups.parting(executor));
    }

    /**
     * Executors ask about each file again and again, and a plan looks at all outputs. So others are asked once when it is news that an
     * executor leaves, and then only about outputs that nobody takes.
     */
    private Departures.Parting parting(
            int shuffle,
            BlockManagerId executor,
            Predicate<ShuffleGroups> isUnplaced,
            Function<ShuffleGroups, Departures.Parting> parting) {
        KnownShuffle known = shuffles.get(shuffle);
        if (known == null) {
            return tracker().containsShuffle(shuffle) ? Departures.Parting.COPY : Departures.Parting.NOTHING;
        }
        if (known.groups().leaves(executor) || isUnplaced.test(known.groups())) {
            Members.Roll roll = members.call();
            plan(shuffle, known.groups(), roll);
            rebuild(shuffle, known, roll);
        }
        return parting.apply(known.groups());
    }

    private void delete(int shuffle, BlockManagerId executor, long parityFile) {
        orders.send(
                executor,
                RequestId.deleteParity(shuffle, parityFile),
                NOTHING,
                failure -> LOG.info("parity {} of shuffle {} stays: {}", parityFile, shuffle, failure.toString()));
    }

    /** An executor has made a parity file. */
    void done(int shuffle, long parityFile, long[] lengths, BlockManagerId executor) {
        KnownShuffle known = shuffles.get(shuffle);
        if (known != null) {
            known.counts().coded(Arrays.stream(lengths).max().orElseThrow());
            if (!known.groups().done(Group.groupOf(parityFile), Group.rowOf(parityFile), executor, lengths)) {
                delete(shuffle, executor, parityFile);
            }
        }
    }

    /** An executor could not make a parity file. */
    void failed(int shuffle, long parityFile, BlockManagerId executor, String reason) {
        KnownShuffle known = shuffles.get(shuffle);
        if (known != null) {
            LOG.info("parity {} of shuffle {} could not be made: {}", parityFile, shuffle, reason);
            known.groups().failed(Group.groupOf(parityFile), Group.rowOf(parityFile), executor);
            changedLater(shuffle);
        }
    }

    /** An executor has made the files of a lost map output again. */
    void rebuilt(int shuffle, long map, BlockManagerId executor) {
        KnownShuffle known = shuffles.get(shuffle);
        if (known != null && !members.hasLeft(executor.executorId())) {
            known.counts().rebuilt();
            tracker().updateMapOutput(shuffle, map, executor);
            changed(shuffle);
        }
    }

    /** An executor could not make the files of a lost map output. */
    void rebuildFailed(int shuffle, long map, String reason) {
        KnownShuffle known = shuffles.get(shuffle);
        if (known != null) {
            LOG.info("map output {} of shuffle {} could not be made again: {}", map, shuffle, reason);
            known.groups().rebuildFailed(map);
        }
    }

    /** The group of a map output, for who must decode it; no bytes if it cannot be decoded. */
    byte[] group(int shuffle, long map) {
        return Optional.ofNullable(shuffles.get(shuffle))
                .flatMap(known -> known.groups().group(map))
                .map(Group::toBytes)
                .orElse(NOTHING);
    }

    @Override
    public void close() {
        current = null;
        planner.shutdownNow();
        orders.close();
    }
}
