/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.Interrupt;
import java.util.List;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a unit to another executor. Only a task of the executor that has the unit can do so; if Spark runs the task elsewhere,
 * the unit stays where it is. So does a unit that is read: its removal would wait for the reader, and all repairs with it.
 *
 * @param to the executors to move it to, of which one does: the best comes first
 */
record UnitMove(BlockId block, BlockManagerId from, List<BlockManagerId> to) implements Work<Long> {
    private static final Logger LOG = LoggerFactory.getLogger(UnitMove.class);

    UnitMove {
        to = List.copyOf(to);
    }

    @Override
    public List<BlockManagerId> preferred() {
        return List.of(from);
    }

    /** Returns the moved bytes. */
    @Override
    public Long run(Access access) {
        UnitStore store = new UnitStore();
        Optional<UnitBytes> local =
                store.here().equals(from) && !store.isRead(block) ? store.local(block) : Optional.empty();
        if (local.isEmpty()) {
            return 0L;
        }
        long moved;
        try (UnitBytes bytes = local.get()) {
            if (to.stream().noneMatch(target -> put(store, bytes, target))) {
                return 0L;
            }
            moved = bytes.chunked().size();
        }
        if (store.isRead(block)) {
            LOG.info("{} stays on its executor, too: a task has begun to read it", block);
        } else {
            store.remove(block);
        }
        return moved;
    }

    /** Returns whether an executor has taken the unit. */
    private boolean put(UnitStore store, UnitBytes bytes, BlockManagerId target) {
        try {
            store.put(block, bytes.chunked(), target);
            return true;
        } catch (IllegalStateException e) {
            if (Interrupt.caused(e)) {
                throw e;
            }
            LOG.info("{} is not moved: {}", block, e.getMessage());
            return false;
        }
    }
}
