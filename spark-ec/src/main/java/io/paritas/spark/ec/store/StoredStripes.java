/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.time.Duration;
import java.util.ArrayList;
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
        List<UnitLocations> damaged = all.stream()
                .filter(where -> !where.isWhole() && !tried.contains(where.stripe()))
                .limit(most)
                .toList();
        damaged.forEach(where -> tried.add(where.stripe()));
        List<UnitLocations> broken =
                damaged.stream().filter(where -> where.isBroken(erasureCode)).toList();
        return decode(damaged.stream()
                        .filter(where -> !where.isBroken(erasureCode))
                        .toList())
                + compute(broken)
                + spread(all.stream().filter(UnitLocations::isWhole).toList(), most);
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
}
