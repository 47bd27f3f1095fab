/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.spark.job.StageProfile;
import io.paritas.spark.job.TaskGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects partitions: {@link #protect} stores them, balances them, forms stripes and makes their parity. On the driver.
 * Stateless: Spark knows where units are, and the caller keeps the stripes.
 */
final class Encoder<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Encoder.class);

    /** How often to store partitions that are lost before their parity is made. */
    private static final int ROUNDS = 10;

    private final CodeName code;
    private final ErasureCodedRDD<T> rdd;
    private final ParityBlocks parity;
    private final Access access;

    Encoder(CodeName code, ErasureCodedRDD<T> rdd, ParityBlocks parity, Access access) {
        this.code = code;
        this.rdd = rdd;
        this.parity = parity;
        this.access = access;
    }

    /**
     * Stores those of the partitions that no executor has, and protects all of them. One round of four steps, each a job, is
     * enough unless executors are lost meanwhile; partitions without a stripe at the end of a round go through another one. Where
     * nothing was stored before, all rows are of one time: if some are lost whose computation may give others, all are stored again.
     * If some cannot be protected, no partition stays that is not as it was before: its stripe could not be decoded with other rows.
     *
     * @param known partitions that were stored before, by number
     * @param source computes the partitions
     * @return their stripes; a partition without rows is in none
     * @throws IllegalStateException if executors are lost faster than partitions are stored
     */
    List<Stripe> protect(Set<Integer> partitions, Map<Integer, StoredUnit> known, RDD<T> source) {
        Map<Integer, StoredUnit> units = new TreeMap<>(known);
        TaskGroup tasks = new TaskGroup(rdd.context());
        try {
            return tasks.run(() -> protect(partitions, known, units, source));
        } catch (Throwable e) { // Spark throws checked ones that it does not declare.
            if (!known.isEmpty()) {
                Cleanup.after(tasks, e, ended -> removeOthers(known, units));
            }
            throw e;
        }
    }

    /** @param units the partitions as they are stored now */
    private List<Stripe> protect(
            Set<Integer> partitions, Map<Integer, StoredUnit> known, Map<Integer, StoredUnit> units, RDD<T> source) {
        Set<Integer> open = new TreeSet<>(partitions);
        List<Stripe> stripes = new ArrayList<>();
        for (int round = 0; !open.isEmpty(); round++) {
            checkRounds(round, open);
            Set<Integer> missing = missing(open, units);
            if (round > 0 && known.isEmpty() && !missing.isEmpty() && UnstableShuffles.isIndeterminate(source)) {
                drop(stripes);
                UnstableShuffles.forget(source);
                stripes.clear();
                units.clear();
                open.addAll(partitions);
                missing = open;
            }
            units.keySet().removeAll(missing);
            store(missing, units, source);
            open.removeIf(partition -> units.get(partition).length() == 0);
            UnitPlacement<BlockManagerId> placement = Cluster.placement(code);
            balance(located(open, units), placement);
            List<Stripe> made = makeParity(planned(located(open, units), units, placement));
            stripes.addAll(made);
            made.forEach(stripe -> stripe.partitions().forEach(open::remove));
        }
        return stripes;
    }

    private void checkRounds(int round, Set<Integer> open) {
        if (round == ROUNDS) {
            throw new IllegalStateException("executors must live until the parity of their partitions is made, but "
                    + open.size() + " partitions of " + rdd.name() + " were lost " + ROUNDS
                    + " times: find out why executors end");
        }
    }

    /** Drops all that is stored. */
    private void drop(List<Stripe> stripes) {
        LOG.warn(
                "{}: executors were lost before the parity of their partitions was made, and its lineage does not always"
                        + " give the same rows: all partitions are computed again",
                rdd.name());
        UnitStore store = new UnitStore();
        store.removeAll(rdd.id());
        stripes.forEach(stripe -> IntStream.range(code.k(), code.n())
                .forEach(unit -> store.removeEverywhere(access.block(stripe, unit))));
    }

    /** The partitions that no executor has. */
    private Set<Integer> missing(Set<Integer> partitions, Map<Integer, StoredUnit> units) {
        Set<Integer> missing = new TreeSet<>(partitions);
        located(partitions, units).forEach(stored -> missing.remove(stored.partition()));
        return missing;
    }

    /** The partitions that some executor has. */
    private List<UnitPlacement.Stored<BlockManagerId>> located(
            Set<Integer> partitions, Map<Integer, StoredUnit> units) {
        List<Integer> all = partitions.stream().filter(units::containsKey).toList();
        List<List<BlockManagerId>> executors =
                new UnitStore().locations(all.stream().map(access::block).toArray(BlockId[]::new));
        List<UnitPlacement.Stored<BlockManagerId>> located = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            int partition = all.get(i);
            int length = units.get(partition).length();
            executors.get(i).stream()
                    .findFirst()
                    .ifPresent(executor -> located.add(new UnitPlacement.Stored<>(partition, length, executor)));
        }
        return located;
    }

    /** Step 1: computes and stores partitions. */
    private void store(Set<Integer> partitions, Map<Integer, StoredUnit> units, RDD<T> source) {
        int all = rdd.getNumPartitions();
        int share = Cluster.placement(code).share(all);
        Jobs.run(
                rdd.context(),
                "store " + rdd.name(),
                source,
                new PartitionWriter<>(rdd.id(), all, share, rdd.elementClassTag()),
                List.copyOf(partitions),
                units::put);
    }

    /** Removes what is not stored as it was before. */
    private void removeOthers(Map<Integer, StoredUnit> before, Map<Integer, StoredUnit> units) {
        if (rdd.context().isStopped()) {
            return;
        }
        UnitStore driver = new UnitStore();
        before.forEach((partition, unit) -> {
            if (!unit.equals(units.get(partition))) {
                driver.removeEverywhere(access.block(partition));
            }
        });
    }

    /** Step 2: moves partitions from executors that have more than their share. */
    private void balance(
            List<UnitPlacement.Stored<BlockManagerId>> partitions, UnitPlacement<BlockManagerId> placement) {
        List<UnitMove> moves = new ArrayList<>();
        placement
                .moves(partitions)
                .forEach((stored, target) ->
                        moves.add(new UnitMove(access.block(stored.partition()), stored.executor(), List.of(target))));
        run("move partitions of " + rdd.name(), moves);
    }

    /** Step 3: forms stripes and plans who makes and keeps their parity. */
    private List<StripeWork> planned(
            List<UnitPlacement.Stored<BlockManagerId>> partitions,
            Map<Integer, StoredUnit> units,
            UnitPlacement<BlockManagerId> placement) {
        List<Integer> parityUnits = IntStream.range(code.k(), code.n()).boxed().toList();
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (List<UnitPlacement.Stored<BlockManagerId>> members : placement.stripes(partitions)) {
            Stripe stripe = stripe(members, units);
            List<List<BlockManagerId>> targets = placement.choices(
                    members.stream().map(UnitPlacement.Stored::executor).toList(),
                    parityUnits.size(),
                    stripe.units().get(code.k()).length(),
                    given);
            work.add(new StripeWork(work.size(), stripe, parityUnits, targets));
        }
        return work;
    }

    /** A stripe whose parity is not made yet: its length is known, its checksums are not. */
    private Stripe stripe(List<UnitPlacement.Stored<BlockManagerId>> members, Map<Integer, StoredUnit> units) {
        List<Integer> partitions =
                members.stream().map(UnitPlacement.Stored::partition).toList();
        List<StoredUnit> all =
                new ArrayList<>(partitions.stream().map(units::get).toList());
        int length = all.stream().mapToInt(StoredUnit::length).max().orElse(0);
        while (all.size() < code.k()) {
            all.add(StoredUnit.EMPTY);
        }
        while (all.size() < code.n()) {
            all.add(new StoredUnit(length, 0));
        }
        return new Stripe(
                partitions, code.k(), all, parity.reserve(code.parameters().r()));
    }

    /** Step 4: makes parity; returns the stripes that were whole until it was made. */
    private List<Stripe> makeParity(List<StripeWork> work) {
        List<Stripe> made = new ArrayList<>();
        for (StripeWork.Result result : run("make the parity of " + rdd.name(), work)) {
            if (!result.made().isEmpty()) {
                made.add(work.get(result.index()).stripe().with(result.made()));
            }
        }
        return made;
    }

    /** Runs a job with a task for each piece of work, on executors as those that have the rows. */
    <R> List<R> run(String description, List<? extends Work<R>> work) {
        List<R> results = new ArrayList<>();
        RDD<R> tasks = new WorkRDD<>(parity, work, access);
        StageProfile.ofExecutors(rdd).ifPresent(tasks::withResources);
        Jobs.run(
                rdd.context(),
                description,
                tasks,
                new Jobs.First<>(),
                IntStream.range(0, work.size()).boxed().toList(),
                (index, result) -> results.add(result));
        return results;
    }
}
