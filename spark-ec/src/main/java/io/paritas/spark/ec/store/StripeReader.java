/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.UnrecoverableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes units of a stripe from whichever others can be had: as few as the code needs, fetched at the same time. One that does
 * not come, or does not fit, is replaced by another; so is one that comes late, if the code can do without it.
 */
final class StripeReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StripeReader.class);

    private final UnitStore store;
    private final Access access;
    private final Stripe stripe;
    private final Map<Integer, List<BlockManagerId>> locations = new HashMap<>();
    private final Map<Integer, UnitBytes> found = new HashMap<>();
    private final Map<Integer, CompletableFuture<UnitBytes>> fetches = new HashMap<>();
    private final Set<Integer> lost = new HashSet<>();
    private final Set<Integer> late = new HashSet<>();

    StripeReader(UnitStore store, Access access, Stripe stripe) {
        this.store = store;
        this.access = access;
        this.stripe = stripe;
        int[] stored = stripe.stored();
        List<List<BlockManagerId>> who = store.locations(access.blocks(stripe, stored));
        for (int i = 0; i < stored.length; i++) {
            locations.put(stored[i], who.get(i));
        }
    }

    /** Who has a unit, as far as the driver knew at first. */
    List<BlockManagerId> locations(int unit) {
        return locations.getOrDefault(unit, List.of());
    }

    /** Whether some executor has a unit of the stripe. */
    boolean has(BlockManagerId executor) {
        return locations.values().stream().anyMatch(who -> who.contains(executor));
    }

    /**
     * A unit as it is stored, if it can be had in time and fits. The caller closes it.
     */
    Optional<UnitBytes> read(int unit) throws InterruptedException {
        locate(unit);
        await(Set.of(unit));
        return Optional.ofNullable(found.remove(unit));
    }

    /** A unit that was late before: now it is waited for. The caller closes it. */
    Optional<UnitBytes> readLate(int unit) throws InterruptedException {
        awaitAll(Set.of(unit));
        return Optional.ofNullable(found.remove(unit));
    }

    /**
     * Units made from others, none of which is one of them.
     *
     * @return their bytes, checked; empty if too many others are lost
     */
    Optional<Map<Integer, byte[]>> make(Erasures wanted) throws InterruptedException {
        wanted.stream().forEach(unit -> {
            lost.add(unit);
            late.remove(unit);
        });
        while (true) {
            RepairPlan plan;
            try {
                plan = access.code().repairPlan(missing(), wanted);
            } catch (UnrecoverableException e) {
                if (late.isEmpty()) {
                    LOG.info("{} of {} cannot be made: {}", wanted, stripe.partitions(), e.getMessage());
                    return Optional.empty();
                }
                Set<Integer> awaited = Set.copyOf(late);
                late.clear();
                awaitAll(awaited);
                continue;
            }
            Set<Integer> needed = needed(plan);
            needed.forEach(this::locate);
            await(needed);
            if (found.keySet().containsAll(needed)) {
                return Optional.of(Coding.run(plan, stripe, found));
            }
        }
    }

    private Erasures missing() {
        Set<Integer> missing = new HashSet<>(lost);
        missing.addAll(late);
        for (int unit : stripe.stored()) {
            if (!found.containsKey(unit) && locations(unit).isEmpty()) {
                missing.add(unit);
            }
        }
        return Erasures.of(missing.stream().mapToInt(Integer::intValue).toArray());
    }

    private Set<Integer> needed(RepairPlan plan) {
        Set<Integer> needed = new HashSet<>();
        for (int unit : plan.sources()) {
            if (!stripe.isEmpty(unit)) {
                needed.add(unit);
            }
        }
        return needed;
    }

    /** Finds a unit here, or begins to fetch it. */
    private void locate(int unit) {
        if (found.containsKey(unit) || fetches.containsKey(unit) || lost.contains(unit)) {
            return;
        }
        BlockId block = access.block(stripe, unit);
        List<BlockManagerId> others = new ArrayList<>(locations(unit));
        Optional<UnitBytes> local = others.remove(store.here()) ? store.local(block) : Optional.empty();
        if (local.isPresent()) {
            accept(unit, local.get());
        } else if (others.isEmpty()) {
            lost.add(unit);
        } else {
            fetches.put(unit, store.fetch(block, stripe.units().get(unit), others));
        }
    }

    private void accept(int unit, UnitBytes bytes) {
        if (bytes.is(stripe.units().get(unit))) {
            found.put(unit, bytes);
            return;
        }
        bytes.close();
        lost.add(unit);
        access.metrics().damaged().add(1);
        BlockId block = access.block(stripe, unit);
        LOG.warn("{} is not what was stored, and is dropped: it is damaged, or was made again", block);
        store.removeEverywhere(block);
    }

    private void await(Set<Integer> units) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(access.patienceMillis());
        for (int unit : pending(units)) {
            await(unit, Math.max(0, end - System.nanoTime()));
        }
    }

    private void awaitAll(Set<Integer> units) throws InterruptedException {
        for (int unit : pending(units)) {
            await(unit, Long.MAX_VALUE);
        }
    }

    private List<Integer> pending(Set<Integer> units) {
        List<Integer> pending = new ArrayList<>(units);
        pending.removeIf(unit -> found.containsKey(unit) || !fetches.containsKey(unit));
        return pending;
    }

    private void await(int unit, long nanos) throws InterruptedException {
        CompletableFuture<UnitBytes> fetch = fetches.get(unit);
        try {
            UnitBytes bytes = fetch.get(nanos, TimeUnit.NANOSECONDS);
            fetches.remove(unit);
            accept(unit, bytes);
        } catch (ExecutionException e) {
            fetches.remove(unit);
            lost.add(unit);
            LOG.info(
                    "{} cannot be fetched: {}",
                    access.block(stripe, unit),
                    e.getCause().getMessage());
        } catch (TimeoutException e) {
            late.add(unit);
            LOG.info("{} is late", access.block(stripe, unit));
        }
    }

    @Override
    public void close() {
        found.values().forEach(UnitBytes::close);
    }
}
