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
import java.util.function.Consumer;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes units of a stripe from others: as few as the code needs, fetched at the same time. A unit that cannot be fetched or is
 * damaged is replaced by another one; so is a unit that is late, if the code can do without it. For one task.
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

    /** The executors that had a unit when this reader was made. */
    List<BlockManagerId> locations(int unit) {
        return locations.getOrDefault(unit, List.of());
    }

    /** Whether an executor has any unit of the stripe. */
    boolean has(BlockManagerId executor) {
        return locations.values().stream().anyMatch(who -> who.contains(executor));
    }

    /** Reads a unit as it is stored; empty if it is missing, late or damaged. The caller closes it. */
    Optional<UnitBytes> read(int unit) throws InterruptedException {
        locate(unit);
        await(Set.of(unit));
        return Optional.ofNullable(found.remove(unit));
    }

    /** Waits for a unit that was late; empty if it was not. The caller closes it. */
    Optional<UnitBytes> readLate(int unit) throws InterruptedException {
        awaitAll(Set.of(unit));
        return Optional.ofNullable(found.remove(unit));
    }

    /**
     * Makes units from others.
     *
     * @return their bytes; empty if too many others are lost
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
                return Optional.of(WindowedCoder.run(access.codeName(), plan, stripe, found));
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

    /** Reads a unit of this executor, or begins to fetch it: two attempts at a task may have stored different bytes. */
    private void locate(int unit) {
        if (found.containsKey(unit) || fetches.containsKey(unit) || lost.contains(unit)) {
            return;
        }
        BlockId block = access.block(stripe, unit);
        List<BlockManagerId> others = new ArrayList<>(locations(unit));
        Optional<UnitBytes> local = others.remove(store.here()) ? store.local(block) : Optional.empty();
        if (local.isPresent() && accept(unit, local.get(), store::remove)) {
            return;
        }
        if (others.isEmpty()) {
            lost.add(unit);
        } else {
            fetches.put(unit, store.fetch(block, stripe.units().get(unit), others));
        }
    }

    /**
     * Takes bytes that are the unit's, and drops others.
     *
     * @param drop removes them from where they were read
     */
    private boolean accept(int unit, UnitBytes bytes, Consumer<BlockId> drop) {
        if (bytes.is(stripe.units().get(unit))) {
            found.put(unit, bytes);
            return true;
        }
        bytes.close();
        BlockId block = access.block(stripe, unit);
        if (!access.isCurrent(store)) {
            LOG.info("{} is not what was stored: it is in another stripe by now", block);
            return false;
        }
        access.metrics().damaged().add(1);
        LOG.warn("{} is not what was stored, and is dropped: it is damaged or was recomputed", block);
        drop.accept(block);
        return false;
    }

    private void await(Set<Integer> units) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(access.fetchTimeoutMillis());
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
            if (!accept(unit, bytes, store::removeEverywhere)) {
                lost.add(unit);
            }
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
