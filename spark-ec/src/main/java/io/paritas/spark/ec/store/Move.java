/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.List;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;

/**
 * Has an executor give a data unit to another one. Only its own task can take it from an executor; Spark may run that task
 * elsewhere, and then the unit stays where it is.
 */
record Move(int partition, BlockManagerId from, BlockManagerId to) implements Work<Boolean> {

    @Override
    public List<BlockManagerId> preferred() {
        return List.of(from);
    }

    /** Whether it is moved. */
    @Override
    public Boolean run(Access access) {
        UnitStore store = new UnitStore();
        BlockId block = access.block(partition);
        if (!store.here().equals(from)) {
            return false;
        }
        Optional<UnitBytes> local = store.local(block);
        if (local.isEmpty()) {
            return false;
        }
        try (UnitBytes bytes = local.get()) {
            store.put(block, bytes.chunked().toByteBuffer(), to);
        }
        store.remove(block);
        return true;
    }
}
