/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.job.DaemonThreads;
import io.paritas.spark.plugin.Report;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's part: the shuffles of an application, when each is looked at, and which executors have left. Thread-safe. */
final class ShuffleCoding implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleCoding.class);

    /** How long outputs whose parity could not be made wait for another group: an executor that cannot be reached may have died. */
    private static final long RETRY_MILLIS = 1_000;

    /** How long an old list of outputs stays: an executor reads it within seconds after it was told of it. */
    private static final Duration OLD_LIST = Duration.ofMinutes(2);

    /** Of the application that runs in this JVM, or null. */
    private static volatile ShuffleCoding current;

    private final ShuffleSettings settings;
    private final UnaryOperator<Set<String>> gone;
    private final Map<Integer, CodedShuffle> shuffles = new ConcurrentHashMap<>();
    /** Shuffles to be looked at. */
    private final Set<Integer> changed = ConcurrentHashMap.newKeySet();

    /** Troubles that were told, by what they prevent and their class. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private final ScheduledExecutorService planner =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("paritas-shuffle-plan"));
    private final CodedShuffle.Driver driver;

    private final CodedShuffleStatus.Application application;

    /**
     * @param idle who lets idle executors go, if anybody does
     * @param gone finds those of some executors that have left the application
     */
    ShuffleCoding(ShuffleSettings settings, Optional<IdleExecutors> idle, UnaryOperator<Set<String>> gone) {
        this.settings = settings;
        this.gone = gone;
        // Dynamic allocation replaces only those that tasks wait for.
        Duration delay = idle.isEmpty() ? settings.repairDelay() : Duration.ZERO;
        this.driver = new CodedShuffle.Driver(
                new Members(settings.code(), delay),
                new Orders(settings.networkTimeout(), settings.bytesPerSecond()),
                new KeptExecutors(idle),
                this::changed,
                this::changedLater,
                () -> shuffles.keySet().forEach(this::changed));
        this.application = new CodedShuffleStatus.Application(
                new ConcurrentHashMap<>(), this::changed, outputs -> destroyLater(outputs, OLD_LIST));
        every(Orders.LOOK_MILLIS, driver.orders()::giveUpSilent, "orders without an answer are looked for again later");
        every(settings.round().toMillis(), this::beginRound, "lost map outputs are looked for again later");
    }

    private void every(long millis, Runnable work, String trouble) {
        Runnable lasting = () -> {
            try {
                work.run();
            } catch (Throwable e) { // Spark throws checked ones that it does not declare, and none may end this.
                if (!planner.isShutdown()) {
                    tell(trouble, e);
                }
            }
        };
        var unused = planner.scheduleWithFixedDelay(lasting, millis, millis, TimeUnit.MILLISECONDS);
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
        ShuffleGroups groups =
                new ShuffleGroups(shuffle, maps, settings.code(), settings.minSize(), driver.members()::hasLeft);
        CodedShuffle coded = new CodedShuffle(shuffle, partitions, groups, driver);
        shuffles.put(shuffle, coded);
        return new CodedShuffleStatus(shuffle, maps, partitions, groups, coded.counts(), application);
    }

    void unregister(int shuffle) {
        Optional.ofNullable(shuffles.remove(shuffle)).ifPresent(CodedShuffle::end);
    }

    /** The shuffle of that id, if it is there. */
    Optional<CodedShuffle> find(int shuffle) {
        return Optional.ofNullable(shuffles.get(shuffle));
    }

    /** The map tasks of a shuffle have run so long, with those of uncoded shuffles that they read. */
    void computed(int shuffle, Duration taskTime) {
        boolean dear = !settings.minTaskTime().isZero() && taskTime.compareTo(settings.minTaskTime()) >= 0;
        find(shuffle).filter(coded -> dear).ifPresent(coded -> {
            coded.groups().markDear();
            changed(shuffle);
        });
    }

    /** Whether a shuffle is there and is not coded. */
    boolean isUncoded(int shuffle) {
        return find(shuffle).filter(coded -> !coded.groups().isDue()).isPresent();
    }

    /** What an executor that is to leave does about a map output. */
    Departures.Parting parting(int shuffle, BlockManagerId executor, long map) {
        return find(shuffle).map(coded -> coded.parting(executor, map)).orElseGet(() -> uncoded(shuffle));
    }

    /** What an executor that is to leave does about its parity of a shuffle. */
    Departures.Parting parting(int shuffle, BlockManagerId executor) {
        return find(shuffle).map(coded -> coded.parting(executor)).orElseGet(() -> uncoded(shuffle));
    }

    private static Departures.Parting uncoded(int shuffle) {
        return tracker().containsShuffle(shuffle) ? Departures.Parting.COPY : Departures.Parting.NOTHING;
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
        return ShuffleReport.of(shuffles.values());
    }

    /** An executor can carry out orders. */
    void executorStarted(String executor) {
        driver.members().started(executor);
    }

    /** An executor has left, with all its files. Outputs that it adds later are removed, too. */
    void executorLost(String executor) {
        driver.members().left(executor);
        driver.orders().forget(executor);
        tracker().removeOutputsOnExecutor(executor);
    }

    /** Spark's, on the driver. */
    static MapOutputTrackerMaster tracker() {
        return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    }

    private void changed(int shuffle) {
        if (changed.add(shuffle)) {
            try {
                planner.execute(() -> plan(shuffle));
            } catch (RejectedExecutionException e) {
                LOG.debug("the application has ended: shuffle {} is not coded", shuffle);
            }
        }
    }

    private void plan(int shuffle) {
        changed.remove(shuffle);
        try {
            find(shuffle).ifPresent(coded -> coded.plan(driver.members().roll()));
        } catch (Throwable e) { // Spark throws checked ones that it does not declare, and nobody else would hear of it.
            if (!planner.isShutdown()) {
                tell("shuffle " + shuffle + " is looked at again later", e);
                changedLater(shuffle);
            }
        }
    }

    private void changedLater(int shuffle) {
        later(() -> changed(shuffle), RETRY_MILLIS);
    }

    /** What is not destroyed when the application ends goes with it. */
    void destroyLater(Broadcast<?> statuses, Duration delay) {
        later(() -> destroy(statuses), delay.toMillis());
    }

    static void destroy(Broadcast<?> statuses) {
        try {
            statuses.destroy();
        } catch (Throwable e) {
            // Spark throws checked ones that it does not declare, as it does when the application ends.
            LOG.debug("an old list of map outputs stays", e);
        }
    }

    private void later(Runnable work, long millis) {
        try {
            var unused = planner.schedule(work, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the application has ended: its shuffles need nothing any more");
        }
    }

    private void beginRound() {
        findGone();
        if (!shuffles.isEmpty()) {
            Members.Roll roll = driver.members().roll();
            shuffles.values().forEach(shuffle -> beginRound(shuffle, roll));
            if (settings.repairs()) {
                driver.kept().release(roll.present(), shuffles.values());
            }
        }
    }

    private void beginRound(CodedShuffle shuffle, Members.Roll roll) {
        shuffle.beginRound(roll);
        if (settings.repairs()) {
            shuffle.rebuild(roll);
        }
    }

    /** Tells the first trouble of its kind. One that lasts comes again each second, and would fill the log. */
    private void tell(String what, Throwable trouble) {
        if (told.add(what + ": " + trouble.getClass().getName())) {
            LOG.warn(what, trouble);
        } else {
            LOG.debug(what, trouble);
        }
    }

    /** Spark tells of executors that are lost, but forgets events when its listeners are slow. */
    private void findGone() {
        gone.apply(KeptExecutors.holders(shuffles.values())).forEach(this::executorLost);
    }

    @Override
    public void close() {
        if (current == this) {
            current = null;
        }
        planner.shutdownNow();
        shuffles.values().forEach(CodedShuffle::end);
        driver.orders().close();
    }
}
