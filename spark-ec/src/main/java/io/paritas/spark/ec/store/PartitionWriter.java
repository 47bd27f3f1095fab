/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.Interrupt;
import java.io.Serializable;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction2;

/**
 * Stores a partition, in a task: on the executor that computed it, unless that one has its share of partitions already, or
 * takes none. The units of a stripe must be on different executors, so too many on one would take more stripes, and more parity.
 * Of attempts that run at the same time, one stores its unit: the bytes of another may differ, and the driver could not tell them.
 */
final class PartitionWriter<T> extends AbstractFunction2<TaskContext, Iterator<T>, StoredUnit> implements Serializable {
    private static final long serialVersionUID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(PartitionWriter.class);

    private final int rdd;
    private final int partitions;
    private final int share;
    private final ClassTag<T> type;

    /**
     * @param rdd id of the RDD whose blocks the units are
     * @param partitions number of its partitions
     * @param share partitions that an executor keeps at most
     */
    PartitionWriter(int rdd, int partitions, int share, ClassTag<T> type) {
        this.rdd = rdd;
        this.partitions = partitions;
        this.share = share;
        this.type = type;
    }

    @Override
    public StoredUnit apply(TaskContext task, Iterator<T> rows) {
        RDDBlockId block = new RDDBlockId(rdd, task.partitionId());
        ChunkedByteBuffer bytes = UnitWriter.serialise(block, rows, type, UnitWriter.LIMIT);
        StoredUnit unit = StoredUnit.of(List.of(bytes.getChunks()));
        Jobs.claim(task);
        UnitStore store = new UnitStore();
        removeEarlier(task, store, block);
        if (unit.length() > 0) {
            put(store, block, bytes);
        }
        return unit;
    }

    /** An earlier attempt may have stored its unit anywhere. */
    private static void removeEarlier(TaskContext task, UnitStore store, BlockId block) {
        if (task.attemptNumber() > 0 || task.stageAttemptNumber() > 0) {
            store.removeEverywhere(block);
        } else {
            store.remove(block);
        }
    }

    /** An executor may take nothing any more: its disk is full, or it is decommissioned. What was computed is not lost with that. */
    private void put(UnitStore store, BlockId block, ChunkedByteBuffer bytes) {
        BlockManagerId here = store.here();
        BlockManagerId first = store.count(rdd) < share ? here : leastLoaded(store, store.executors());
        try {
            store.put(block, bytes, first);
        } catch (IllegalStateException e) {
            if (Interrupt.caused(e)) {
                throw e;
            }
            List<BlockManagerId> others = store.executors();
            others.remove(first);
            if (others.isEmpty()) {
                throw e;
            }
            BlockManagerId second = first.equals(here) ? leastLoaded(store, others) : here;
            LOG.info("{} is stored on {} instead: {}", block, second, e.getMessage());
            store.put(block, bytes, second);
        }
    }

    private BlockManagerId leastLoaded(UnitStore store, List<BlockManagerId> executors) {
        Map<BlockManagerId, Integer> loads = new HashMap<>();
        executors.forEach(executor -> loads.put(executor, 0));
        BlockId[] blocks = IntStream.range(0, partitions)
                .mapToObj(partition -> new RDDBlockId(rdd, partition))
                .toArray(BlockId[]::new);
        store.locations(blocks)
                .forEach(who -> who.forEach(executor -> loads.computeIfPresent(executor, (same, load) -> load + 1)));
        return Collections.min(loads.entrySet(), Map.Entry.comparingByValue()).getKey();
    }
}
