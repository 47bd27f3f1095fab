/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfo;
import org.apache.spark.storage.BlockManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** Reads blocks of this executor. */
public final class LocalBlocks {
    private static final Logger LOG = LoggerFactory.getLogger(LocalBlocks.class);

    private LocalBlocks() {}

    /**
     * Locks a block of this executor for reading and returns it; the caller, a task's own thread, releases it. One that the disk does not
     * give any more is dropped, unless others read it at the moment.
     *
     * @return empty if the block is not there, and not locked
     */
    public static Optional<BlockData> read(BlockManager manager, BlockId block) {
        try {
            Option<BlockData> data = manager.getLocalBytes(block);
            return data.isDefined() ? Optional.of(data.get()) : Optional.empty();
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (Interrupt.caused(e)) {
                throw e;
            }
            // Spark has locked the block before it failed, and has released it only where it has dropped it as well.
            if (isRead(manager, block)) {
                manager.releaseLock(block, Option.apply(TaskContext.get()));
            }
            drop(manager, block, e);
            return Optional.empty();
        }
    }

    /** Whether a task reads a block of this executor now: to remove it means to wait for that. */
    public static boolean isRead(BlockManager manager, BlockId block) {
        Option<BlockInfo> info = manager.blockInfoManager().get(block);
        return info.isDefined() && info.get().readerCount() > 0;
    }

    /** Removes a block of this executor that cannot be read, unless it is being read: who reads it may be the task that calls. */
    public static void drop(BlockManager manager, BlockId block, Exception reason) {
        LOG.warn("Paritas: {} cannot be read, and is dropped: {}", block, reason.getMessage(), reason);
        if (!isRead(manager, block) && manager.getStatus(block).isDefined()) {
            manager.removeBlock(block, true);
        }
    }
}
