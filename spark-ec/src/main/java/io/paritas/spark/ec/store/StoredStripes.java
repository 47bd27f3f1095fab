/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.spark.job.Interrupt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stripes of kept rows: made, repaired, and formed anew where too much of them is lost. On the driver. Any thread may read the
 * {@link #layout}; for the rest one at a time.
 */
final class StoredStripes<T> {
    private static final Logger LOG = LoggerFactory.getLogger(StoredStripes.class);

    private final CodeName code;
    private final ErasureCode erasureCode;
    private final ErasureCodedRDD<T> rdd;
    private final HiddenLineage<T> rows;
    private final ParityBlocks parity;
    /** How often repair has tried each stripe that is damaged now: what it could not repair goes last. */
    private final Map<Stripe, Integer> tries = new HashMap<>();

    private Access access;
    private volatile StripeLayout layout;

    StoredStripes(
            CodeName code, ErasureCodedRDD<T> rdd, HiddenLineage<T> rows, ParityBlocks parity, Duration fetchTimeout) {
        this.code = code;
        this.erasureCode = code.erasureCode();
        this.rdd = rdd;
        this.rows = rows;
        this.parity = parity;
        this.access = new Access(
                code.toString(), rdd.id(), parity.id(), parity.reserve(1), fetchTimeout.toMillis(), rdd.metrics());
        this.layout = new StripeLayout(access, List.of());
    }

    StripeLayout layout() {
        return layout;
    }

    /** Stores all partitions, and makes their parity. */
    void make() {
        access.begin(new UnitStore());
        publish(encoder().protect(partitions(), Map.of(), rdd));
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

    /** Does what {@link ErasureCodedStore#repair(int, Set)} says. */
    long repair(int most, Set<Stripe> tried) {
        List<UnitLocations> all = UnitLocations.of(layout);
        hide(all);
        Map<Boolean, List<UnitLocations>> damaged = all.stream()
                .filter(where -> !where.isWhole())
                .collect(Collectors.partitioningBy(where -> where.isBroken(erasureCode)));
        tries.keySet()
                .retainAll(damaged.values().stream()
                        .flatMap(List::stream)
                        .map(UnitLocations::stripe)
                        .collect(Collectors.toSet()));
        List<UnitLocations> decodable = next(damaged.get(false), most, tried);
        List<UnitLocations> broken = next(damaged.get(true), most - decodable.size(), tried);
        long moved = Cluster.hasExecutors(rdd.context())
                ? decode(decodable)
                        + spread(all.stream().filter(UnitLocations::isWhole).toList(), most)
                : 0; // Who is to keep the units is not there yet.
        return moved + compute(broken);
    }

    /** The stripes to try now. */
    private List<UnitLocations> next(List<UnitLocations> damaged, int most, Set<Stripe> tried) {
        List<UnitLocations> next = damaged.stream()
                .filter(where -> !tried.contains(where.stripe()))
                .sorted(Comparator.comparing(where -> tries.getOrDefault(where.stripe(), 0)))
                .limit(most)
                .toList();
        for (UnitLocations where : next) {
            tried.add(where.stripe());
            tries.merge(where.stripe(), 1, Integer::sum);
        }
        return next;
    }

    /** Hides the lineage of all partitions that need not be computed: tasks may have shown some of it. */
    private void hide(List<UnitLocations> all) {
        Set<Integer> hidden = partitions();
        hidden.removeAll(partitions(all.stream().filter(where -> where.isBroken(erasureCode))));
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
            List<List<BlockManagerId>> targets =
                    placement.choices(where.executors(), missing.size(), where.length(), given);
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
                    .forEach((unit, targets) -> moves.add(new UnitMove(
                            access.block(where.stripe(), unit), where.having().get(unit), targets)));
        }
        return encoder().run("spread " + rdd.name(), moves.stream().limit(most).toList()).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Forms stripes anew, all together; or else each by itself, so that one that cannot be computed keeps no others broken. */
    private long compute(List<UnitLocations> broken) {
        if (broken.isEmpty()) {
            return 0;
        }
        LOG.warn(
                "{}: {} partitions are in stripes with too many losses; those that are lost are computed again{}",
                rdd.name(),
                partitions(broken.stream()).size(),
                UnstableShuffles.isIndeterminate(rows)
                        ? ", and some rows may now be there twice or not at all: the lineage does not always give the same"
                                + " ones; persist the rows again to have them all of one time"
                        : "");
        try {
            return formAnew(broken);
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (Interrupt.caused(e) || broken.size() == 1) {
                throw e;
            }
            return computeEach(broken, e);
        }
    }

    private long computeEach(List<UnitLocations> broken, Exception failure) {
        long bytes = 0;
        List<Integer> failed = new ArrayList<>();
        for (UnitLocations where : broken) {
            try {
                bytes += formAnew(List.of(where));
            } catch (Exception e) { // Spark throws checked ones that it does not declare.
                if (Interrupt.caused(e)) {
                    throw e;
                }
                failed.addAll(where.stripe().partitions());
            }
        }
        if (bytes == 0) {
            throw new IllegalStateException(
                    "none of " + broken.size() + " stripes with too many losses can be computed again: "
                            + failure.getMessage(),
                    failure);
        }
        if (!failed.isEmpty()) {
            LOG.warn("{}: partitions {} cannot be computed again yet: {}", rdd.name(), failed, failure.toString());
        }
        return bytes;
    }

    /** Computes the lost partitions of stripes that cannot be decoded, and forms new stripes of all their partitions. */
    private long formAnew(List<UnitLocations> broken) {
        Set<Integer> partitions = partitions(broken.stream());
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
}
