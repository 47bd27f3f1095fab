/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.JobProperties;
import io.paritas.spark.job.TaskGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of an RDD, kept erasure-coded on the application's executors: stored once, with their parity on other
 * executors, and repaired. On the driver. Thread-safe.
 */
public final class ErasureCodedStore<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ErasureCodedStore.class);

    /** How long to wait for the tasks of a failed job. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    /* What the headers of few and small rows take is no reason for a warning. */
    private static final long MUCH = 64 << 20;
    private static final double TOLERATED = 1.1;

    private final SparkContext context;
    private final CodeName code;
    private final ErasureCode erasureCode;
    private final HiddenLineage<T> rows;
    private final ErasureCodedRDD<T> rdd;
    private final ParityBlocks parity;
    private final JobProperties properties;
    /* Guarded by this. */
    private Access access;
    private volatile StripeLayout layout;
    private volatile boolean closed;

    private ErasureCodedStore(RDD<T> lineage, CodeName code, StoreSettings settings) {
        this.context = lineage.context();
        this.code = code;
        this.erasureCode = code.erasureCode();
        this.rows = new HiddenLineage<>(lineage);
        this.rdd = new ErasureCodedRDD<>(this, rows, UnitMetrics.of(context));
        int stripes = (rows.getNumPartitions() + code.k() - 1) / code.k();
        this.parity = new ParityBlocks(context, stripes * code.parameters().r() + 1);
        this.access = new Access(
                code.toString(),
                rdd.id(),
                parity.id(),
                parity.reserve(1),
                settings.fetchTimeout().toMillis(),
                rdd.metrics());
        this.properties = JobProperties.of(context);
        this.layout = new StripeLayout(access, List.of());
        rdd.setName(code + " of " + name(lineage));
        rows.setName("lineage of " + rdd.name());
        parity.setName("parity of " + rdd.name());
    }

    /** The first line of Spark's name for an RDD. */
    private static String name(RDD<?> lineage) {
        String name = lineage.name() == null ? lineage.toString() : lineage.name();
        return name.lines().findFirst().orElse("an RDD");
    }

    /**
     * Computes, stores and protects the partitions of an RDD.
     *
     * @throws RuntimeException if a partition cannot be computed or stored; then nothing stays stored
     */
    public static <T> ErasureCodedStore<T> of(RDD<T> lineage, CodeName code, StoreSettings settings) {
        ErasureCodedStore<T> store = new ErasureCodedStore<>(lineage, code, settings);
        TaskGroup tasks = new TaskGroup(store.context);
        try {
            tasks.run(() -> {
                store.start();
                return store;
            });
        } catch (Throwable e) {
            store.abandon(tasks);
            throw e;
        }
        Repairer.of(store.context, settings).watch(store);
        return store;
    }

    /** Waits for tasks that still run: they would store units that are never dropped. */
    private void abandon(TaskGroup tasks) {
        try {
            if (!tasks.end(END_TIMEOUT)) {
                LOG.warn(
                        "{} could not be stored, and some of its tasks still run: what they store is dropped when the"
                                + " driver collects garbage",
                        rdd.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeInBackground();
        }
    }

    private synchronized void start() {
        for (RDD<?> kept : List.of(rdd, rows, parity)) {
            context.persistRDD(kept);
            context.cleaner().foreach(cleaner -> {
                cleaner.registerRDDForCleanup(kept);
                return null;
            });
        }
        access.begin(new UnitStore());
        publish(encoder().protect(partitions(), Map.of(), rdd));
        repair();
        warn();
    }

    private Set<Integer> partitions() {
        return IntStream.range(0, rows.getNumPartitions()).boxed().collect(Collectors.toSet());
    }

    private Encoder<T> encoder() {
        return new Encoder<>(code, rdd, parity, access);
    }

    /** Tasks that know the stripes of before store and drop nothing from now on. */
    private void beginEdition() {
        UnitStore driver = new UnitStore();
        access.end(driver);
        access = access.withEdition(parity.reserve(1));
        access.begin(driver);
    }

    private void publish(List<Stripe> stripes) {
        layout = new StripeLayout(access, stripes);
        rdd.publish(layout);
    }

    private void warn() {
        int survives = Cluster.placement(code).survives();
        if (survives < code.tolerated()) {
            LOG.warn(
                    "{} survives the loss of {} executors, not of {}: that needs {} executors, got {}",
                    rdd.name(),
                    survives,
                    code.tolerated(),
                    code.n(),
                    ApplicationExecutors.stayingOrAny().size());
        }
        StripeLayout current = layout;
        double least = (double) code.n() / code.k();
        if (bytes(current, 0, code.k()) >= MUCH && overhead() > TOLERATED * least) {
            LOG.warn(
                    "{} takes {} times its size, not {}, because its {} partitions do not fill stripes of {} with equal ones:"
                            + " repartition it into a multiple of {} first",
                    rdd.name(),
                    times(overhead()),
                    times(least),
                    rows.getNumPartitions(),
                    code.k(),
                    code.k());
        }
    }

    /** The stored partitions. */
    public ErasureCodedRDD<T> rdd() {
        return rdd;
    }

    public CodeName code() {
        return code;
    }

    public boolean isClosed() {
        return closed;
    }

    /** What is stored, and what is missing now: nothing, once it is dropped. */
    public Health health() {
        if (closed) {
            return new Health(rows.getNumPartitions(), 0, 0, 0, 0, 0, 0);
        }
        StripeLayout current = layout;
        List<UnitLocations> all = UnitLocations.of(current);
        UnitPlacement<BlockManagerId> placement = Cluster.placement(code);
        return new Health(
                rows.getNumPartitions(),
                current.stripes().size(),
                bytes(current, 0, code.k()),
                bytes(current, code.k(), code.n()),
                all.stream().mapToInt(where -> where.missing().size()).sum(),
                (int) all.stream().filter(this::isBroken).count(),
                all.stream()
                        .mapToInt(where -> placement.survives(
                                where.executors(), where.missing().size()))
                        .min()
                        .orElse(placement.survives()));
    }

    /** The stored bytes divided by those of the data, such as 1.25; 1 if there is no data. */
    private double overhead() {
        StripeLayout current = layout;
        long data = bytes(current, 0, code.k());
        return data == 0 ? 1 : (double) bytes(current, 0, code.n()) / data;
    }

    private static String times(double factor) {
        return String.format(Locale.ROOT, "%.2f", factor);
    }

    /** The code and what it costs, for people. */
    public String describe() {
        return code + ", " + times(overhead()) + " times the size of the rows";
    }

    private static long bytes(StripeLayout layout, int from, int to) {
        return layout.stripes().stream()
                .flatMap(stripe -> stripe.units().subList(from, to).stream())
                .mapToLong(StoredUnit::length)
                .sum();
    }

    private boolean isBroken(UnitLocations where) {
        return !erasureCode.canReconstruct(where.erasures());
    }

    /** Tries to repair each stripe once. */
    long repair() {
        return repair(Integer.MAX_VALUE, new HashSet<>());
    }

    /** {@link #repair(int, Set) Repairs} on any thread: its jobs have the properties of those that kept the rows. */
    long repairLater(int most, Set<Stripe> tried) {
        return properties.run(context, () -> repair(most, tried));
    }

    /**
     * Rebuilds the units that are missing now: from the rest of their stripes, or, where too much of a stripe is lost, from the
     * lineage. Units that share an executor because there were few are spread over the executors of today.
     *
     * @param most stripes to repair at most
     * @param tried stripes that are not repaired now; those that this call tries are added
     * @return rebuilt and moved bytes; without those of units that no executor has taken
     */
    synchronized long repair(int most, Set<Stripe> tried) {
        if (closed) {
            return 0;
        }
        try {
            return repairOpen(most, tried);
        } finally {
            if (closed) {
                dropInBackground();
            }
        }
    }

    private long repairOpen(int most, Set<Stripe> tried) {
        List<UnitLocations> all = UnitLocations.of(layout);
        hide(all);
        List<UnitLocations> damaged = all.stream()
                .filter(where -> !where.isWhole() && !tried.contains(where.stripe()))
                .limit(most)
                .toList();
        damaged.forEach(where -> tried.add(where.stripe()));
        List<UnitLocations> broken = damaged.stream().filter(this::isBroken).toList();
        return decode(damaged.stream().filter(where -> !isBroken(where)).toList())
                + compute(broken)
                + spread(all.stream().filter(UnitLocations::isWhole).toList(), most);
    }

    /** Hides the lineage of all partitions that need not be computed: tasks may have shown some of it. */
    private void hide(List<UnitLocations> all) {
        Set<Integer> hidden = partitions();
        hidden.removeAll(partitions(all.stream().filter(this::isBroken)));
        rows.hide(hidden);
    }

    private static Set<Integer> partitions(Stream<UnitLocations> stripes) {
        return stripes.flatMap(where -> where.stripe().partitions().stream()).collect(Collectors.toSet());
    }

    private long decode(List<UnitLocations> damaged) {
        UnitPlacement<BlockManagerId> placement = Cluster.placement(code);
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (UnitLocations where : damaged) {
            List<Integer> missing = where.missing();
            List<BlockManagerId> targets = placement.targets(where.executors(), missing.size(), where.length(), given);
            work.add(new StripeWork(work.size(), where.stripe(), missing, targets));
        }
        return encoder().run("repair " + rdd.name(), work).stream()
                .mapToLong(StripeWork.Result::storedBytes)
                .sum();
    }

    private long spread(List<UnitLocations> whole, int most) {
        UnitPlacement<BlockManagerId> placement = Cluster.placement(code);
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<UnitMove> moves = new ArrayList<>();
        for (UnitLocations where : whole) {
            placement
                    .spread(where.having(), where.length(), given)
                    .forEach((unit, target) -> moves.add(new UnitMove(
                            access.block(where.stripe(), unit), where.having().get(unit), target)));
        }
        return encoder().run("spread " + rdd.name(), moves.stream().limit(most).toList()).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Computes the lost partitions of stripes that cannot be decoded, and forms new stripes of all their partitions. */
    private long compute(List<UnitLocations> broken) {
        if (broken.isEmpty()) {
            return 0;
        }
        Set<Integer> partitions = partitions(broken.stream());
        LOG.warn(
                "{}: {} partitions are in stripes with too many losses; those that are lost are computed again{}",
                rdd.name(),
                partitions.size(),
                UnstableShuffles.isIndeterminate(rows)
                        ? ", and some rows may now be there twice or not at all: the lineage does not always give the same"
                                + " ones; persist the rows again to have them all of one time"
                        : "");
        rows.showAll(partitions);
        beginEdition();
        List<Stripe> stripes = new ArrayList<>(layout.stripes());
        try {
            List<Stripe> formed = encoder().protect(partitions, stored(broken), rows);
            stripes.removeIf(stripe -> partitions.containsAll(stripe.partitions()));
            stripes.addAll(formed);
        } finally {
            publish(stripes);
        }
        dropParity(broken);
        rows.hide(partitions);
        return broken.stream().mapToLong(UnitLocations::missingBytes).sum();
    }

    /** Drops the parity of stripes that are not published any more. Jobs that know them compute what is lost. */
    private void dropParity(List<UnitLocations> stripes) {
        UnitStore store = new UnitStore();
        for (UnitLocations where : stripes) {
            where.having().keySet().stream()
                    .filter(unit -> unit >= code.k())
                    .forEach(unit -> store.removeEverywhere(access.block(where.stripe(), unit)));
        }
    }

    /** The partitions of stripes, as they were stored. */
    private static Map<Integer, StoredUnit> stored(List<UnitLocations> stripes) {
        Map<Integer, StoredUnit> stored = new HashMap<>();
        for (UnitLocations where : stripes) {
            List<Integer> partitions = where.stripe().partitions();
            for (int unit = 0; unit < partitions.size(); unit++) {
                stored.put(partitions.get(unit), where.stripe().units().get(unit));
            }
        }
        return stored;
    }

    /** Drops all units; returns when executors have dropped them, or keep some for tasks that read them: those go later. */
    public void close() {
        if (!closed) {
            closed = true;
            drop(true);
        }
    }

    /** Drops all units; executors do so soon. */
    public void closeInBackground() {
        if (!closed) {
            closed = true;
            dropInBackground();
        }
    }

    private void dropInBackground() {
        drop(false);
    }

    /** Jobs store nothing again from now on: the sign that they look for is a block of the parity, and goes first. */
    private void drop(boolean blocking) {
        rdd.publish(null);
        drop(List.of(parity, rdd, rows), blocking);
    }

    /** After one that cannot be dropped now, waits for no other. */
    private void drop(List<RDD<?>> kept, boolean blocking) {
        if (kept.isEmpty()) {
            return;
        }
        boolean dropped = false;
        try {
            dropped = drop(kept.get(0), blocking);
        } finally {
            drop(kept.subList(1, kept.size()), blocking && dropped);
        }
    }

    /**
     * An executor removes a unit that a task reads when the task ends: nobody waits longer than Spark for an answer.
     *
     * @return whether executors have answered, if they were to
     */
    private boolean drop(RDD<?> kept, boolean blocking) {
        try {
            UnitStore.askToRemove(kept.name(), () -> context.unpersistRDD(kept.id(), blocking));
            return true;
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (!UnitStore.isTimeout(e)) {
                throw e;
            }
            context.unpersistRDD(kept.id(), false);
            return false;
        }
    }
}
