/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.Erasures;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Units of a stripe that a task is to make and to place.
 *
 * @param index of the stripe, for whoever collects results
 * @param stripe of parity that is not made yet, the checksums are unknown
 * @param units to make
 * @param targets an executor for each
 */
record StripeWork(int index, Stripe stripe, List<Integer> units, List<BlockManagerId> targets)
        implements Work<StripeWork.Result> {
    private static final Logger LOG = LoggerFactory.getLogger(StripeWork.class);

    StripeWork {
        units = List.copyOf(units);
        targets = List.copyOf(targets);
    }

    /**
     * What became of it.
     *
     * @param made what was made, by unit; empty if too much of the stripe is lost
     */
    record Result(int index, Map<Integer, StoredUnit> made) implements Serializable {}

    /** Where units are to be placed: they need not be sent from there. */
    @Override
    public List<BlockManagerId> preferred() {
        return targets;
    }

    /** What cannot be placed where it should be is made all the same: somebody will miss it later. */
    @Override
    public Result run(Access access) throws InterruptedException {
        UnitStore store = new UnitStore();
        Optional<Map<Integer, byte[]>> made;
        try (StripeReader reader = new StripeReader(store, access, stripe)) {
            made = reader.make(
                    Erasures.of(units.stream().mapToInt(Integer::intValue).toArray()));
        }
        Map<Integer, StoredUnit> results = new HashMap<>();
        for (int i = 0; i < units.size() && made.isPresent(); i++) {
            int unit = units.get(i);
            ByteBuffer bytes = ByteBuffer.wrap(made.get().get(unit));
            place(store, access, unit, bytes, targets.get(i));
            results.put(unit, StoredUnit.of(List.of(bytes)));
        }
        return new Result(index, results);
    }

    private void place(UnitStore store, Access access, int unit, ByteBuffer bytes, BlockManagerId target) {
        try {
            store.put(access.block(stripe, unit), bytes.duplicate(), target);
        } catch (RuntimeException e) {
            LOG.warn("{} cannot be stored on {}: {}", access.block(stripe, unit), target, e.getMessage());
        }
    }
}
