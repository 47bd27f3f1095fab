/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.JobProperties;
import io.paritas.spark.job.TaskGroup;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of an RDD, kept erasure-coded on the application's executors: stored once, with their parity on other
 * executors, and repaired. On the driver. Thread-safe.
 */
public final class ErasureCodedStore<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ErasureCodedStore.class);

    /* What the headers of few and small rows take is no reason for a warning. */
    private static final long MUCH = 64 << 20;
    private static final double TOLERATED = 1.1;

    private final SparkContext context;
    private final CodeName code;
    private final HiddenLineage<T> rows;
    private final ErasureCodedRDD<T> rdd;
    private final ParityBlocks parity;
    private final JobProperties properties;
    /** What changes them is guarded by this. */
    private final StoredStripes<T> stripes;

    private volatile boolean closed;

    private ErasureCodedStore(RDD<T> lineage, String name, CodeName code, StoreSettings settings) {
        this.context = lineage.context();
        this.code = code;
        this.rows = new HiddenLineage<>(lineage);
        this.rdd = new ErasureCodedRDD<>(this, rows, UnitMetrics.of(context));
        int full = (rows.getNumPartitions() + code.k() - 1) / code.k();
        this.parity = new ParityBlocks(context, full * code.parameters().r() + 1);
        this.stripes = new StoredStripes<>(code, rdd, rows, parity, settings.fetchTimeout());
        this.properties = JobProperties.of(context);
        rdd.setName(code + " of " + name);
        rows.setName("lineage of " + rdd.name());
        parity.setName("parity of " + rdd.name());
    }

    /** The first line of Spark's name for an RDD. */
    private static String name(RDD<?> lineage) {
        String name = lineage.name() == null ? lineage.toString() : lineage.name();
        return name.lines().findFirst().orElse("an RDD");
    }

    /**
     * Computes, stores and protects the partitions of an RDD, which messages call by its name.
     *
     * @throws RuntimeException if a partition cannot be computed or stored; then nothing stays stored
     */
    public static <T> ErasureCodedStore<T> of(RDD<T> lineage, CodeName code, StoreSettings settings) {
        return of(lineage, name(lineage), code, settings);
    }

    /**
     * Computes, stores and protects the partitions of an RDD.
     *
     * @param name by which messages call its rows
     * @throws RuntimeException as above
     */
    public static <T> ErasureCodedStore<T> of(RDD<T> lineage, String name, CodeName code, StoreSettings settings) {
        ErasureCodedStore<T> store = new ErasureCodedStore<>(lineage, name, code, settings);
        TaskGroup tasks = new TaskGroup(store.context);
        try {
            tasks.run(() -> {
                store.start();
                return store;
            });
        } catch (Throwable e) {
            Cleanup.after(tasks, e, store::abandon);
            throw e;
        }
        Repairer.of(store.context, settings).watch(store);
        return store;
    }

    /** Drops what is stored. Tasks that still run would store units that are never dropped. */
    private void abandon(boolean ended) {
        if (!ended && !context.isStopped()) {
            LOG.warn(
                    "{} could not be stored, and some of its tasks still run: what they store is dropped when the"
                            + " driver collects garbage",
                    rdd.name());
        }
        closeInBackground();
    }

    private synchronized void start() {
        for (RDD<?> kept : List.of(rdd, rows, parity)) {
            context.persistRDD(kept);
            context.cleaner().foreach(cleaner -> {
                cleaner.registerRDDForCleanup(kept);
                return null;
            });
        }
        stripes.make();
        repair();
        warn();
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
        Health health = health();
        if (health.missingUnits() > 0 || health.survives() < survives) {
            LOG.warn(
                    "{} survives the loss of {} executors now: units are missing ({}) or beside others of their stripes, as where"
                            + " executors take none because their disks are full; their logs say why, and repair tries again",
                    rdd.name(),
                    health.survives(),
                    health.missingUnits());
        }
        StripeLayout layout = stripes.layout();
        double least = (double) code.n() / code.k();
        if (layout.bytes(0, code.k()) >= MUCH && layout.overhead(code) > TOLERATED * least) {
            LOG.warn(
                    "{} takes {} times its size, not {}, because its {} partitions do not fill stripes of {} with equal ones:"
                            + " repartition it into a multiple of {} first",
                    rdd.name(),
                    times(layout.overhead(code)),
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

    /**
     * What is stored, and what is missing now: nothing, once it is dropped.
     *
     * @throws IllegalStateException if the application has ended before
     */
    public Health health() {
        if (closed) {
            return new Health(rows.getNumPartitions(), 0, 0, 0, 0, 0, 0);
        }
        if (context.isStopped()) {
            throw new IllegalStateException(
                    "an application must run to say what is stored of its rows, this one has ended");
        }
        return Health.of(stripes.layout(), code, rows.getNumPartitions());
    }

    /** Length of all units, with those of the parity; 0 once they are dropped. Asks nobody, so it never fails. */
    public long bytes() {
        return closed ? 0 : stripes.layout().bytes(0, code.n());
    }

    private static String times(double factor) {
        return String.format(Locale.ROOT, "%.2f", factor);
    }

    /** The code and what it costs, for people. */
    public String describe() {
        return code + ", " + times(stripes.layout().overhead(code)) + " times the size of the rows";
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
            return stripes.repair(most, tried);
        } finally {
            if (closed) {
                dropInBackground();
            }
        }
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

    void dropInBackground() {
        drop(false);
    }

    /**
     * Jobs store nothing again from now on: the sign that they look for is a block of the parity, and goes first. With an application
     * that has ended, all is gone.
     */
    private void drop(boolean blocking) {
        rdd.publish(null);
        if (!context.isStopped()) {
            drop(List.of(parity, rdd, rows), blocking);
        }
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
