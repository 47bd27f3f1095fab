/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.spark.ec.job.TaskGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
 * Keeps the partitions of an RDD erasure-coded on the application's executors: has them stored, once, and their parity made
 * and placed; and what is lost of that made again. On the driver. Thread-safe.
 */
public final class Protection<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Protection.class);

    /** How long the tasks of a job that has failed may take to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int DROPS = 5;

    private final SparkContext context;
    private final CodeName code;
    private final ErasureCode erasureCode;
    private final HiddenLineage<T> rows;
    private final ErasureCodedRDD<T> rdd;
    private final ParityBlocks parity;
    private final Access access;
    private final Encoder<T> encoder;
    private volatile Layout layout;
    private volatile boolean closed;

    private Protection(RDD<T> lineage, CodeName code, Terms terms) {
        this.context = lineage.context();
        this.code = code;
        this.erasureCode = code.erasureCode();
        this.rows = new HiddenLineage<>(lineage);
        this.rdd = new ErasureCodedRDD<>(this, rows, UnitMetrics.of(context));
        int stripes = (rows.getNumPartitions() + code.k() - 1) / code.k();
        this.parity = new ParityBlocks(context, stripes * code.parameters().r());
        this.access = new Access(
                code.toString(), rdd.id(), parity.id(), terms.patience().toMillis(), rdd.metrics());
        this.encoder = new Encoder<>(code, rdd, parity, access);
        this.layout = new Layout(access, List.of());
        rdd.setName(code + " of " + name(lineage));
        rows.setName("lineage of " + rdd.name());
        parity.setName("parity of " + rdd.name());
    }

    /** The first line of what Spark would call it. */
    private static String name(RDD<?> lineage) {
        String name = lineage.name() == null ? lineage.toString() : lineage.name();
        return name.lines().findFirst().orElse("an RDD");
    }

    /**
     * Stores and protects the partitions of an RDD; returns when that is done.
     *
     * @throws RuntimeException if a partition cannot be computed or stored; nothing stays stored then
     */
    public static <T> Protection<T> of(RDD<T> lineage, CodeName code, Terms terms) {
        Protection<T> protection = new Protection<>(lineage, code, terms);
        TaskGroup tasks = new TaskGroup(protection.context);
        try {
            tasks.run(() -> {
                protection.start();
                return protection;
            });
        } catch (Throwable e) {
            protection.abandon(tasks);
            throw e;
        }
        Repairer.of(protection.context, terms).watch(protection);
        return protection;
    }

    /** Tasks that still run would store what nobody drops. */
    private void abandon(TaskGroup tasks) {
        try {
            if (!tasks.end(PATIENCE)) {
                LOG.warn(
                        "{} could not be kept, and some of its tasks still run: what they store is dropped when"
                                + " the driver's garbage is collected",
                        rdd.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(false);
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
        publish(encoder.protect(partitions(), rdd));
        repair(Integer.MAX_VALUE);
        warn();
    }

    private Set<Integer> partitions() {
        return IntStream.range(0, rows.getNumPartitions()).boxed().collect(Collectors.toSet());
    }

    private void publish(List<Stripe> stripes) {
        layout = new Layout(access, stripes);
        rdd.publish(layout);
    }

    private void warn() {
        int survives = Cluster.placement(code).survives();
        if (survives < code.parameters().r()) {
            LOG.warn(
                    "{} survives the loss of {} executors, not of {}: that takes {} executors, and there are {}",
                    rdd.name(),
                    survives,
                    code.parameters().r(),
                    code.n(),
                    Cluster.executors().size());
        }
    }

    /** What is kept. */
    public ErasureCodedRDD<T> rdd() {
        return rdd;
    }

    public CodeName code() {
        return code;
    }

    public boolean isClosed() {
        return closed;
    }

    /** What is kept, and what is missing of it now. */
    public Health health() {
        Layout current = layout;
        List<Whereabouts> all = closed ? List.of() : Whereabouts.of(current);
        Placement<BlockManagerId> placement = Cluster.placement(code);
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

    private static long bytes(Layout layout, int from, int to) {
        return layout.stripes().stream()
                .flatMap(stripe -> stripe.units().subList(from, to).stream())
                .mapToLong(StoredUnit::length)
                .sum();
    }

    private boolean isBroken(Whereabouts where) {
        return !erasureCode.canReconstruct(where.erasures());
    }

    /**
     * Makes what is missing again, as far as it is missing now: of what is left of its stripe, and what cannot be made of that,
     * of what it was made of. Units that share an executor, because there were few, are spread over those that there are now.
     *
     * @param most stripes at once
     * @return how many bytes were made again or moved
     */
    synchronized long repair(int most) {
        if (closed) {
            drop(false); // what tasks stored that had begun before
            return 0;
        }
        List<Whereabouts> all = Whereabouts.of(layout);
        hide(all);
        List<Whereabouts> damaged =
                all.stream().filter(where -> !where.isWhole()).limit(most).toList();
        List<Whereabouts> broken = damaged.stream().filter(this::isBroken).toList();
        long bytes = decode(damaged.stream().filter(where -> !isBroken(where)).toList())
                + compute(broken)
                + spread(all.stream().filter(Whereabouts::isWhole).toList(), most);
        if (closed) {
            drop(false);
        }
        return bytes;
    }

    /** All that does not have to be computed: tasks may have shown some of it. */
    private void hide(List<Whereabouts> all) {
        Set<Integer> hidden = partitions();
        hidden.removeAll(partitions(all.stream().filter(this::isBroken)));
        rows.hide(hidden);
    }

    private static Set<Integer> partitions(Stream<Whereabouts> stripes) {
        return stripes.flatMap(where -> where.stripe().partitions().stream()).collect(Collectors.toSet());
    }

    private long decode(List<Whereabouts> damaged) {
        Placement<BlockManagerId> placement = Cluster.placement(code);
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (Whereabouts where : damaged) {
            List<Integer> missing = where.missing();
            List<BlockManagerId> targets = placement.targets(where.executors(), missing.size(), where.length(), given);
            work.add(new StripeWork(work.size(), where.stripe(), missing, targets));
        }
        return encoder.run("repair " + rdd.name(), work).stream()
                .filter(result -> !result.made().isEmpty())
                .mapToLong(result -> damaged.get(result.index()).missingBytes())
                .sum();
    }

    private long spread(List<Whereabouts> whole, int most) {
        Placement<BlockManagerId> placement = Cluster.placement(code);
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<Move> moves = new ArrayList<>();
        for (Whereabouts where : whole) {
            placement
                    .spread(where.having(), where.length(), given)
                    .forEach((unit, target) -> moves.add(new Move(
                            access.block(where.stripe(), unit), where.having().get(unit), target)));
        }
        return encoder.run("spread " + rdd.name(), moves.stream().limit(most).toList()).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Computes lost partitions of stripes that cannot be decoded, and makes other stripes of all of theirs. */
    private long compute(List<Whereabouts> broken) {
        if (broken.isEmpty()) {
            return 0;
        }
        Set<Integer> partitions = partitions(broken.stream());
        LOG.warn(
                "{}: {} partitions are in stripes with too many losses; what is lost of them is computed again",
                rdd.name(),
                partitions.size());
        rows.showAll(partitions);
        List<Stripe> stripes = new ArrayList<>(layout.stripes());
        stripes.removeIf(stripe -> partitions.containsAll(stripe.partitions()));
        stripes.addAll(encoder.protect(partitions, rows));
        publish(stripes);
        rows.hide(partitions);
        return broken.stream().mapToLong(Whereabouts::missingBytes).sum();
    }

    /** Drops everything. */
    public void close(boolean blocking) {
        if (!closed) {
            closed = true;
            drop(blocking);
        }
    }

    /** Jobs that start from now on store nothing again. */
    private void drop(boolean blocking) {
        rdd.publish(null);
        for (RDD<?> kept : List.of(rdd, rows, parity)) {
            drop(kept, blocking);
        }
    }

    /** An executor gives up half way if a unit that it removes is being stored or moved at the same time, and may be asked again. */
    private void drop(RDD<?> kept, boolean blocking) {
        for (int attempt = 1; attempt < DROPS; attempt++) {
            try {
                context.unpersistRDD(kept.id(), blocking);
                return;
            } catch (Exception e) { // Spark throws checked ones that it does not declare.
                LOG.info("{} is not dropped yet: {}", kept.name(), e.getMessage());
            }
        }
        context.unpersistRDD(kept.id(), blocking);
    }
}
