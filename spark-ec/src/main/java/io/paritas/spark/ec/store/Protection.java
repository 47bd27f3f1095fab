/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Keeps the partitions of an RDD erasure-coded on the application's executors: has them stored, once, and their parity made
 * and placed; and what is lost of that made again. On the driver. Thread-safe.
 */
public final class Protection<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Protection.class);

    /** How often partitions are stored again that are lost before their parity is made. */
    private static final int ROUNDS = 10;

    private final SparkContext context;
    private final CodeName code;
    private final ErasureCode erasureCode;
    private final long patienceMillis;
    private final HiddenLineage<T> rows;
    private final ErasureCodedRDD<T> rdd;
    /* What is stored: guarded by this. */
    private final Map<Integer, StoredUnit> data = new TreeMap<>();
    private final List<Stripe> stripes = new ArrayList<>();
    private ParityBlocks parity;
    private int nextParity;
    private volatile boolean closed;

    private Protection(RDD<T> lineage, CodeName code, Terms terms) {
        this.context = lineage.context();
        this.code = code;
        this.erasureCode = code.erasureCode();
        this.patienceMillis = terms.patience().toMillis();
        this.rows = new HiddenLineage<>(lineage);
        this.rdd = new ErasureCodedRDD<>(this, rows, patienceMillis, UnitMetrics.of(context));
        rdd.setName(code + " of " + name(lineage));
        rows.setName("lineage of " + rdd.name());
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
        Set<Integer> all = IntStream.range(0, rows.getNumPartitions()).boxed().collect(Collectors.toSet());
        protect(all);
        publish();
        rows.hide(all);
        context.cleaner().foreach(cleaner -> {
            cleaner.registerRDDForCleanup(rdd);
            cleaner.registerRDDForCleanup(rows);
            cleaner.registerRDDForCleanup(parity);
            return null;
        });
        repair();
        warn();
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

    private void warn() {
        int survives = placement().survives();
        if (survives < code.parameters().r()) {
            LOG.warn(
                    "{} survives the loss of {} executors, not of {}: that takes {} executors, and there are {}",
                    rdd.name(),
                    survives,
                    code.parameters().r(),
                    code.n(),
                    executors().size());
        }
    }

    /** Stores partitions, forms stripes of them, and makes their parity. */
    private void protect(Set<Integer> partitions) {
        Set<Integer> open = new TreeSet<>(partitions);
        for (int round = 0; !open.isEmpty(); round++) {
            if (round == ROUNDS) {
                throw new IllegalStateException(
                        "partitions are to be stored, and their parity made, while their executors"
                                + " live; " + open.size() + " of " + rdd.name() + " were lost " + ROUNDS
                                + " times: look why executors end");
            }
            store(open);
            List<Placement.Stored<BlockManagerId>> stored = located(open);
            open.removeIf(partition -> data.get(partition).length() == 0);
            for (Stripe stripe : encode(stored)) {
                stripes.add(stripe);
                stripe.partitions().forEach(open::remove);
            }
        }
    }

    /** Stores those that are stored nowhere. */
    private void store(Set<Integer> partitions) {
        List<Integer> all = List.copyOf(partitions);
        List<List<BlockManagerId>> locations =
                new UnitStore().locations(all.stream().map(this::dataBlock).toArray(BlockId[]::new));
        List<Integer> missing = IntStream.range(0, all.size())
                .filter(i -> locations.get(i).isEmpty() || !data.containsKey(all.get(i)))
                .mapToObj(all::get)
                .toList();
        Jobs.run(context, "store " + rdd.name(), stripes.isEmpty() ? rdd : rows, storing(), missing, data::put);
    }

    private Storing<T> storing() {
        int partitions = rows.getNumPartitions();
        return new Storing<>(rdd.id(), partitions, placement().share(partitions), rdd.elementClassTag());
    }

    private List<Placement.Stored<BlockManagerId>> located(Set<Integer> partitions) {
        List<Integer> all = List.copyOf(partitions);
        List<List<BlockManagerId>> locations =
                new UnitStore().locations(all.stream().map(this::dataBlock).toArray(BlockId[]::new));
        return IntStream.range(0, all.size())
                .filter(i -> !locations.get(i).isEmpty())
                .mapToObj(i -> new Placement.Stored<>(
                        all.get(i),
                        data.get(all.get(i)).length(),
                        locations.get(i).get(0)))
                .toList();
    }

    private BlockId dataBlock(int partition) {
        return new RDDBlockId(rdd.id(), partition);
    }

    /** Makes the parity of partitions; returns the stripes that were whole until it was made. */
    private List<Stripe> encode(List<Placement.Stored<BlockManagerId>> stored) {
        int k = code.k();
        int r = code.parameters().r();
        Placement<BlockManagerId> placement = placement();
        List<List<Placement.Stored<BlockManagerId>>> groups = placement.stripes(stored);
        if (parity == null) {
            parity = new ParityBlocks(context, r * groups.size());
            parity.setName("parity of " + rdd.name());
        }
        Map<BlockManagerId, Long> given = new HashMap<>();
        List<StripeWork> work = new ArrayList<>();
        for (List<Placement.Stored<BlockManagerId>> group : groups) {
            List<StoredUnit> units = new ArrayList<>();
            group.forEach(member -> units.add(data.get(member.partition())));
            int length = units.stream().mapToInt(StoredUnit::length).max().orElse(0);
            while (units.size() < k) {
                units.add(StoredUnit.EMPTY);
            }
            for (int unit = 0; unit < r; unit++) {
                units.add(new StoredUnit(length, 0));
            }
            Stripe stripe =
                    new Stripe(group.stream().map(Placement.Stored::partition).toList(), k, units, nextParity);
            nextParity += r;
            work.add(new StripeWork(
                    work.size(),
                    stripe,
                    IntStream.range(k, k + r).boxed().toList(),
                    placement.targets(
                            group.stream().map(Placement.Stored::executor).toList(), r, length, given)));
        }
        List<Stripe> made = new ArrayList<>();
        for (StripeWork.Result result : run("make the parity of " + rdd.name(), work)) {
            if (!result.made().isEmpty()) {
                made.add(work.get(result.index()).stripe().with(result.made()));
            }
        }
        return made;
    }

    private List<StripeWork.Result> run(String what, List<StripeWork> work) {
        List<StripeWork.Result> results = new ArrayList<>();
        if (!work.isEmpty()) {
            StripeRDD job = new StripeRDD(parity, work, layout(), patienceMillis, rdd.metrics());
            Jobs.run(
                    context,
                    what,
                    job,
                    new Jobs.First<>(),
                    IntStream.range(0, work.size()).boxed().toList(),
                    (index, result) -> results.add(result));
        }
        return results;
    }

    private Layout layout() {
        return new Layout(code, rdd.id(), parity.id(), stripes);
    }

    private void publish() {
        if (parity == null) {
            parity = new ParityBlocks(context, 0);
        }
        rdd.publish(layout());
    }

    private Placement<BlockManagerId> placement() {
        return new Placement<>(code.k(), code.parameters().r(), executors());
    }

    /** All that keep blocks: the driver only where it is the only one. */
    private static List<BlockManagerId> executors() {
        Collection<BlockManagerId> all = CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet();
        List<BlockManagerId> executors =
                all.stream().filter(executor -> !executor.isDriver()).toList();
        return executors.isEmpty() ? List.copyOf(all) : executors;
    }

    /** Units of a stripe that nobody has. */
    private record Damage(Stripe stripe, List<Integer> missing, List<BlockManagerId> having) {
        Erasures erasures() {
            return Erasures.of(missing.stream().mapToInt(Integer::intValue).toArray());
        }

        long bytes() {
            return missing.stream()
                    .mapToLong(unit -> stripe.units().get(unit).length())
                    .sum();
        }
    }

    private List<Damage> damages() {
        UnitStore store = new UnitStore();
        Layout layout = layout();
        List<BlockId> blocks = new ArrayList<>();
        stripes.forEach(stripe -> blocks.addAll(List.of(layout.blocks(stripe, stripe.stored()))));
        List<List<BlockManagerId>> locations = store.locations(blocks.toArray(BlockId[]::new));
        List<Damage> damages = new ArrayList<>();
        int next = 0;
        for (Stripe stripe : stripes) {
            List<Integer> missing = new ArrayList<>();
            List<BlockManagerId> having = new ArrayList<>();
            for (int unit : stripe.stored()) {
                List<BlockManagerId> who = locations.get(next++);
                having.addAll(who);
                if (who.isEmpty()) {
                    missing.add(unit);
                }
            }
            if (!missing.isEmpty()) {
                damages.add(new Damage(stripe, missing, having));
            }
        }
        return damages;
    }

    /** What is kept, and what is missing of it now. */
    public synchronized Health health() {
        List<Damage> damages = closed ? List.of() : damages();
        return new Health(
                rows.getNumPartitions(),
                stripes.size(),
                data.values().stream().mapToLong(StoredUnit::length).sum(),
                stripes.stream()
                        .flatMap(stripe -> stripe.units().stream().skip(stripe.k()))
                        .mapToLong(StoredUnit::length)
                        .sum(),
                damages.stream().mapToInt(damage -> damage.missing().size()).sum(),
                (int) damages.stream()
                        .filter(damage -> !erasureCode.canReconstruct(damage.erasures()))
                        .count(),
                placement().survives());
    }

    /**
     * Makes what is missing again, as far as it is missing now: of what is left of its stripe, and what cannot be made of that,
     * of what it was made of.
     *
     * @return how many bytes
     */
    synchronized long repair() {
        return repair(Integer.MAX_VALUE);
    }

    /** @param most stripes at once */
    synchronized long repair(int most) {
        if (closed) {
            return 0;
        }
        List<Damage> damages = damages().stream().limit(most).toList();
        List<StripeWork> work = new ArrayList<>();
        Set<Integer> rebuilt = new HashSet<>();
        Placement<BlockManagerId> placement = placement();
        Map<BlockManagerId, Long> given = new HashMap<>();
        for (Damage damage : damages) {
            if (erasureCode.canReconstruct(damage.erasures())) {
                int length =
                        damage.stripe().units().get(damage.missing().get(0)).length();
                work.add(new StripeWork(
                        work.size(),
                        damage.stripe(),
                        damage.missing(),
                        placement.targets(damage.having(), damage.missing().size(), length, given)));
            } else {
                rebuilt.addAll(damage.stripe().partitions());
            }
        }
        run("repair " + rdd.name(), work);
        if (!rebuilt.isEmpty()) {
            rebuild(rebuilt);
        }
        if (closed) {
            drop(false);
        }
        return damages.stream().mapToLong(Damage::bytes).sum();
    }

    /** Computes lost partitions of stripes that cannot be decoded, and makes other stripes of all of theirs. */
    private void rebuild(Set<Integer> partitions) {
        LOG.warn(
                "{}: {} partitions are in stripes with too many losses; what is lost is computed again",
                rdd.name(),
                partitions.size());
        stripes.removeIf(stripe -> partitions.containsAll(stripe.partitions()));
        rows.showAll(partitions);
        protect(partitions);
        publish();
        rows.hide(partitions);
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
        context.unpersistRDD(rdd.id(), blocking);
        context.unpersistRDD(rows.id(), blocking);
        if (parity != null) {
            context.unpersistRDD(parity.id(), blocking);
        }
    }
}
