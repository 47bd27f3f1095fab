/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
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

/** Stores partitions, forms stripes of them, and has their parity made. On the driver; for one thread at a time. */
final class Encoder<T> {
    /** How often partitions are stored again that are lost before their parity is made. */
    private static final int ROUNDS = 10;

    private final CodeName code;
    private final ErasureCodedRDD<T> rdd;
    private final ParityBlocks parity;
    private final Access access;
    private final Map<Integer, StoredUnit> units = new TreeMap<>();
    private int nextParity;

    Encoder(CodeName code, ErasureCodedRDD<T> rdd, ParityBlocks parity, Access access) {
        this.code = code;
        this.rdd = rdd;
        this.parity = parity;
        this.access = access;
    }

    /**
     * Stores those of the partitions that are stored nowhere, and protects all of them.
     *
     * @param source computes them
     * @return their stripes; a partition without rows is in none
     * @throws IllegalStateException if executors are lost faster than partitions are stored
     */
    List<Stripe> protect(Set<Integer> partitions, RDD<T> source) {
        Set<Integer> open = new TreeSet<>(partitions);
        List<Stripe> stripes = new ArrayList<>();
        for (int round = 0; !open.isEmpty(); round++) {
            if (round == ROUNDS) {
                throw new IllegalStateException("partitions are to be stored, and their parity made, while their"
                        + " executors live; " + open.size() + " of " + rdd.name() + " were lost " + ROUNDS
                        + " times: look why executors end");
            }
            store(open, source);
            open.removeIf(partition -> units.get(partition).length() == 0);
            Placement<BlockManagerId> placement = Cluster.placement(code);
            move(placement.moves(located(open)));
            for (Stripe stripe : encode(located(open), placement)) {
                stripes.add(stripe);
                stripe.partitions().forEach(open::remove);
            }
        }
        return stripes;
    }

    private void store(Set<Integer> partitions, RDD<T> source) {
        Set<Integer> missing = new TreeSet<>(partitions);
        missing.removeAll(where(partitions).keySet());
        int all = rdd.getNumPartitions();
        int share = Cluster.placement(code).share(all);
        Jobs.run(
                rdd.context(),
                "store " + rdd.name(),
                source,
                new Storing<>(rdd.id(), all, share, rdd.elementClassTag()),
                List.copyOf(missing),
                units::put);
    }

    /** Who has partitions that this has stored; those that nobody has are left out. */
    private Map<Integer, BlockManagerId> where(Set<Integer> partitions) {
        List<Integer> all = partitions.stream().filter(units::containsKey).toList();
        List<List<BlockManagerId>> locations =
                new UnitStore().locations(all.stream().map(access::block).toArray(BlockId[]::new));
        Map<Integer, BlockManagerId> where = new TreeMap<>();
        for (int i = 0; i < all.size(); i++) {
            if (!locations.get(i).isEmpty()) {
                where.put(all.get(i), locations.get(i).get(0));
            }
        }
        return where;
    }

    private List<Placement.Stored<BlockManagerId>> located(Set<Integer> partitions) {
        List<Placement.Stored<BlockManagerId>> located = new ArrayList<>();
        where(partitions)
                .forEach((partition, executor) -> located.add(
                        new Placement.Stored<>(partition, units.get(partition).length(), executor)));
        return located;
    }

    private void move(Map<Placement.Stored<BlockManagerId>, BlockManagerId> moves) {
        List<Move> work = new ArrayList<>();
        moves.forEach((stored, target) -> work.add(new Move(stored.partition(), stored.executor(), target)));
        run("move partitions of " + rdd.name(), work);
    }

    /** Makes the parity of partitions; returns the stripes that were whole until it was made. */
    private List<Stripe> encode(List<Placement.Stored<BlockManagerId>> stored, Placement<BlockManagerId> placement) {
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (List<Placement.Stored<BlockManagerId>> members : placement.stripes(stored)) {
            Stripe stripe = stripe(members);
            List<Integer> parityUnits =
                    IntStream.range(code.k(), code.n()).boxed().toList();
            List<BlockManagerId> targets = placement.targets(
                    members.stream().map(Placement.Stored::executor).toList(),
                    parityUnits.size(),
                    stripe.units().get(code.k()).length(),
                    given);
            work.add(new StripeWork(work.size(), stripe, parityUnits, targets));
        }
        List<Stripe> made = new ArrayList<>();
        for (StripeWork.Result result : run("make the parity of " + rdd.name(), work)) {
            if (!result.made().isEmpty()) {
                made.add(work.get(result.index()).stripe().with(result.made()));
            }
        }
        return made;
    }

    /** A stripe whose parity is not known yet, but for its length. */
    private Stripe stripe(List<Placement.Stored<BlockManagerId>> members) {
        List<StoredUnit> all = new ArrayList<>();
        members.forEach(member -> all.add(units.get(member.partition())));
        int length = all.stream().mapToInt(StoredUnit::length).max().orElse(0);
        while (all.size() < code.k()) {
            all.add(StoredUnit.EMPTY);
        }
        while (all.size() < code.n()) {
            all.add(new StoredUnit(length, 0));
        }
        int firstParity = nextParity;
        nextParity += code.parameters().r();
        return new Stripe(members.stream().map(Placement.Stored::partition).toList(), code.k(), all, firstParity);
    }

    /** Has tasks do something about units. */
    <R> List<R> run(String what, List<? extends Work<R>> work) {
        List<R> results = new ArrayList<>();
        Jobs.run(
                rdd.context(),
                what,
                new WorkRDD<>(parity, work, access),
                new Jobs.First<>(),
                IntStream.range(0, work.size()).boxed().toList(),
                (index, result) -> results.add(result));
        return results;
    }
}
