/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import io.paritas.spark.job.Interrupt;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that makes units of a stripe and stores them.
 *
 * @param index number of the work, which its result carries
 * @param stripe the stripe; checksums of parity that is not made yet are unknown
 * @param units numbers of the units to make
 * @param targets for each of them, the executors to store it on, of which one does: the best comes first
 */
record StripeWork(int index, Stripe stripe, List<Integer> units, List<List<BlockManagerId>> targets)
        implements Work<StripeWork.Result> {
    private static final Logger LOG = LoggerFactory.getLogger(StripeWork.class);

    StripeWork {
        units = List.copyOf(units);
        targets = targets.stream().map(List::copyOf).toList();
    }

    /**
     * The result of the task.
     *
     * @param made the units, by number; empty if too much of the stripe is lost
     * @param storedBytes the total length of the units that an executor has taken
     */
    record Result(int index, Map<Integer, StoredUnit> made, long storedBytes) implements Serializable {}

    /** The best targets: a unit that is made on its target is not sent. */
    @Override
    public List<BlockManagerId> preferred() {
        return targets.stream().map(choices -> choices.get(0)).toList();
    }

    /** A unit that no target takes counts as made: repair finds it missing later. */
    @Override
    public Result run(Access access) throws InterruptedException {
        UnitStore store = new UnitStore();
        Optional<Map<Integer, byte[]>> made;
        try (StripeReader reader = new StripeReader(store, access, stripe)) {
            made = reader.make(
                    Erasures.of(units.stream().mapToInt(Integer::intValue).toArray()));
        }
        Map<Integer, StoredUnit> results = new HashMap<>();
        long stored = 0;
        for (int i = 0; i < units.size() && made.isPresent(); i++) {
            int unit = units.get(i);
            ByteBuffer bytes = ByteBuffer.wrap(made.get().get(unit));
            boolean taken = targets.get(i).stream().anyMatch(target -> place(store, access, unit, bytes, target));
            stored += taken ? bytes.remaining() : 0;
            results.put(unit, StoredUnit.of(List.of(bytes)));
        }
        return new Result(index, results, stored);
    }

    /** Stores a unit; returns whether its target has taken it. */
    private boolean place(UnitStore store, Access access, int unit, ByteBuffer bytes, BlockManagerId target) {
        try {
            store.put(access.block(stripe, unit), new ChunkedByteBuffer(bytes.duplicate()), target);
            return true;
        } catch (RuntimeException e) {
            if (Interrupt.caused(e)) {
                throw e;
            }
            LOG.warn("{}", e.getMessage());
            return false;
        }
    }
}
