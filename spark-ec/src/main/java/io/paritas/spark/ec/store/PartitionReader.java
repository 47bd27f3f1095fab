/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import io.paritas.spark.job.Interrupt;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the unit of a partition: as it is stored, decoded, or recomputed. For one task. */
final class PartitionReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);

    private final UnitStore store;
    private final StripeReader stripe;
    private final BlockId block;
    private final int unit;
    private final StoredUnit expected;
    private final Access access;
    private final UnitMetrics metrics;

    PartitionReader(Access access, Stripe stripe, int partition) {
        this.store = new UnitStore();
        this.stripe = new StripeReader(store, access, stripe);
        this.unit = stripe.unitOf(partition);
        this.block = access.block(stripe, unit);
        this.expected = stripe.units().get(unit);
        this.access = access;
        this.metrics = access.metrics();
    }

    /**
     * Returns the partition's bytes; the caller closes them.
     *
     * @param recomputation computes them from the lineage
     */
    UnitBytes read(Recomputation recomputation) throws InterruptedException {
        Optional<UnitBytes> bytes = stripe.read(unit);
        if (bytes.isEmpty()) {
            bytes = decode();
        }
        if (bytes.isEmpty()) {
            bytes = stripe.readLate(unit);
        }
        return bytes.isPresent() ? bytes.get() : recompute(recomputation);
    }

    private UnitBytes recompute(Recomputation recomputation) throws InterruptedException {
        ChunkedByteBuffer made = recomputation.run();
        metrics.recomputed().add(1);
        UnitBytes bytes = UnitBytes.of(made);
        if (bytes.is(expected)) {
            put(made);
        }
        return bytes;
    }

    private Optional<UnitBytes> decode() throws InterruptedException {
        long start = System.nanoTime();
        Optional<UnitBytes> decoded = stripe.make(Erasures.of(unit))
                .map(units -> UnitBytes.of(units.get(unit)))
                .filter(bytes -> bytes.is(expected));
        decoded.ifPresent(bytes -> {
            metrics.decoded().add(1);
            metrics.decodedBytes().add(expected.length());
            metrics.decodeNanos().add(System.nanoTime() - start);
            keep(bytes);
        });
        return decoded;
    }

    /** Stores the unit here for the next reader, unless it would be lost together with another unit of its stripe. */
    private void keep(UnitBytes bytes) {
        boolean wasHere = stripe.locations(unit).contains(store.here());
        if (wasHere || !stripe.has(store.here())) {
            put(bytes.chunked());
        }
    }

    /** Stores the unit here, unless the rows are dropped or in other stripes by now. The task has its rows, stored or not. */
    private void put(ChunkedByteBuffer bytes) {
        if (!access.isCurrent(store)) {
            return;
        }
        try {
            store.put(block, bytes);
        } catch (IllegalStateException e) {
            if (Interrupt.caused(e)) {
                throw e;
            }
            LOG.warn("{}", e.getMessage());
        }
        if (!access.isCurrent(store)) { // whoever drops units may have been too early for this one
            store.remove(block);
        }
    }

    /** Computes a partition's bytes from the lineage. */
    interface Recomputation {
        ChunkedByteBuffer run() throws InterruptedException;
    }

    @Override
    public void close() {
        stripe.close();
    }
}
