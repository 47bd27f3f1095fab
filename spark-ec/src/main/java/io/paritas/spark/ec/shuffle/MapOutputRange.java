/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Consecutive partitions of a map output.
 *
 * @param map the attempt that made the output
 * @param from first partition
 * @param to end of the partitions
 */
record MapOutputRange(int shuffle, long map, int from, int to) {

    /** What a block of Spark's is; empty if it is none of a map output. */
    static Optional<MapOutputRange> of(BlockId id) {
        if (id instanceof ShuffleBlockId block) {
            return Optional.of(
                    new MapOutputRange(block.shuffleId(), block.mapId(), block.reduceId(), block.reduceId() + 1));
        }
        if (id instanceof ShuffleBlockBatchId range) {
            return Optional.of(
                    new MapOutputRange(range.shuffleId(), range.mapId(), range.startReduceId(), range.endReduceId()));
        }
        return Optional.empty();
    }
}
