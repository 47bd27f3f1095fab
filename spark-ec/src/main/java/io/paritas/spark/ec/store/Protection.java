/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
        try {
            protection.start();
        } catch (RuntimeException | Error e) {
            protection.close(false);
            throw e;
        }
        Repairer.of(protection.context, terms).watch(protection);
        return protection;
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
        List<Damage> damages = closed ? List.of() : Damage.in(current);
        return new Health(
                rows.getNumPartitions(),
                current.stripes().size(),
                bytes(current, 0, code.k()),
                bytes(current, code.k(), code.n()),
                damages.stream().mapToInt(damage -> damage.missing().size()).sum(),
                (int) damages.stream().filter(this::isBroken).count(),
                Cluster.placement(code).survives());
    }

    private static long bytes(Layout layout, int from, int to) {
        return layout.stripes().stream()
                .flatMap(stripe -> stripe.units().subList(from, to).stream())
                .mapToLong(StoredUnit::length)
                .sum();
    }

    private boolean isBroken(Damage damage) {
        return !erasureCode.canReconstruct(damage.erasures());
    }

    /**
     * Makes what is missing again, as far as it is missing now: of what is left of its stripe, and what cannot be made of that,
     * of what it was made of.
     *
     * @param most stripes at once
     * @return how many bytes were made again
     */
    synchronized long repair(int most) {
        if (closed) {
            drop(false); // what tasks stored that had begun before
            return 0;
        }
        List<Damage> damages = Damage.in(layout).stream().limit(most).toList();
        Set<Integer> broken = damages.stream()
                .filter(this::isBroken)
                .flatMap(damage -> damage.stripe().partitions().stream())
                .collect(Collectors.toSet());
        long bytes = decode(damages.stream().filter(damage -> !isBroken(damage)).toList());
        if (!broken.isEmpty()) {
            compute(broken);
            bytes += damages.stream()
                    .filter(this::isBroken)
                    .mapToLong(Damage::bytes)
                    .sum();
        }
        if (closed) {
            drop(false);
        } else {
            hide();
        }
        return bytes;
    }

    private long decode(List<Damage> damages) {
        Placement<BlockManagerId> placement = Cluster.placement(code);
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (Damage damage : damages) {
            List<BlockManagerId> targets =
                    placement.targets(damage.having(), damage.missing().size(), damage.length(), given);
            work.add(new StripeWork(work.size(), damage.stripe(), damage.missing(), targets));
        }
        return encoder.run("repair " + rdd.name(), work).stream()
                .filter(result -> !result.made().isEmpty())
                .mapToLong(result -> damages.get(result.index()).bytes())
                .sum();
    }

    /** Computes lost partitions of stripes that cannot be decoded, and makes other stripes of all of theirs. */
    private void compute(Set<Integer> broken) {
        LOG.warn(
                "{}: {} partitions are in stripes with too many losses; what is lost of them is computed again",
                rdd.name(),
                broken.size());
        rows.showAll(broken);
        List<Stripe> stripes = new ArrayList<>(layout.stripes());
        stripes.removeIf(stripe -> broken.containsAll(stripe.partitions()));
        stripes.addAll(encoder.protect(broken, rows));
        publish(stripes);
    }

    /** All that does not have to be computed: tasks may have shown some of it. */
    private void hide() {
        Set<Integer> hidden = new HashSet<>(partitions());
        Damage.in(layout).stream()
                .filter(this::isBroken)
                .forEach(damage -> damage.stripe().partitions().forEach(hidden::remove));
        rows.hide(hidden);
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
            context.unpersistRDD(kept.id(), blocking);
        }
    }
}
