/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleDataBlockId;

/**
 * What executors ask one another for, written as the id of a shuffle block, because Spark's block transfer hands these to the
 * shuffle manager unseen. The kind is in the highest bits of the shuffle's number, which Spark's own numbers never reach.
 *
 * @param shuffle number of the shuffle, below {@link #SHUFFLES}
 * @param file the attempt of a map task, or the number of a parity file; for contents, with the data unit in the lowest byte
 * @param from first page of bytes, or first partition; for a map output that is to be made again, how many partitions it has
 * @param to end of the pages, or of the partitions
 */
record RequestId(Kind kind, int shuffle, long file, int from, int to) {
    /** Ranges of bytes begin and end at multiples of this, but for the end of the file. */
    static final int PAGE = 1 << 12;

    /** More units than any group has. */
    private static final int UNITS = 256;

    private static final int KIND_SHIFT = 28;

    /** A shuffle with such a number, or a higher one, cannot be coded. */
    static final int SHUFFLES = 1 << KIND_SHIFT;

    /** What is asked for. */
    enum Kind {
        /** Pages of a map output's data file. */
        DATA,
        /** Pages of a parity file. */
        PARITY,
        /** Offsets and checksums of some partitions of a map output, from who has the parity. */
        CONTENTS,
        /** The index file of a map output. */
        INDEX,
        /** To make a parity file; the driver uploads the group. */
        MAKE_PARITY,
        /** To make the files of a lost map output again; the driver uploads the group. */
        REBUILD,
        /** To delete a parity file. */
        DELETE_PARITY;

        /** Whether it is an order of the driver, which is uploaded. */
        boolean isOrder() {
            return compareTo(MAKE_PARITY) >= 0;
        }
    }

    /** A request for a range of bytes, widened to whole pages. */
    static RequestId bytes(Kind kind, int shuffle, long file, long from, long to) {
        return new RequestId(kind, shuffle, file, (int) (from / PAGE), (int) ((to + PAGE - 1) / PAGE));
    }

    static RequestId index(int shuffle, long map) {
        return new RequestId(Kind.INDEX, shuffle, map, 0, 1);
    }

    /** @param unit which data unit of the group that the parity file belongs to */
    static RequestId contents(int shuffle, long parityFile, int unit, int from, int to) {
        return new RequestId(Kind.CONTENTS, shuffle, parityFile * UNITS + unit, from, to);
    }

    static RequestId makeParity(int shuffle, long parityFile) {
        return new RequestId(Kind.MAKE_PARITY, shuffle, parityFile, 0, 0);
    }

    static RequestId rebuild(int shuffle, long map, int partitions) {
        return new RequestId(Kind.REBUILD, shuffle, map, partitions, 0);
    }

    static RequestId deleteParity(int shuffle, long parityFile) {
        return new RequestId(Kind.DELETE_PARITY, shuffle, parityFile, 0, 0);
    }

    /** The parity file whose contents are asked for. */
    long parityFile() {
        return file / UNITS;
    }

    /** The data unit whose contents are asked for. */
    int unit() {
        return (int) (file % UNITS);
    }

    /** Where the range of bytes starts. */
    long start() {
        return (long) from * PAGE;
    }

    /** Where the range of bytes ends, if the file is that long. */
    long end() {
        return (long) to * PAGE;
    }

    BlockId blockId() {
        int number = shuffle | ((kind.ordinal() + 1) << KIND_SHIFT);
        return kind.isOrder()
                ? new ShuffleDataBlockId(number, file, from)
                : new ShuffleBlockBatchId(number, file, from, to);
    }

    /** Reads an id; empty if Spark made it. */
    static Optional<RequestId> of(BlockId id) {
        if (id instanceof ShuffleBlockBatchId range) {
            return of(range.shuffleId(), range.mapId(), range.startReduceId(), range.endReduceId());
        }
        if (id instanceof ShuffleDataBlockId data) {
            return of(data.shuffleId(), data.mapId(), data.reduceId(), 0);
        }
        return Optional.empty();
    }

    private static Optional<RequestId> of(int number, long file, int from, int to) {
        int kind = number >>> KIND_SHIFT;
        return kind == 0 || kind > Kind.values().length
                ? Optional.empty()
                : Optional.of(new RequestId(Kind.values()[kind - 1], number & (SHUFFLES - 1), file, from, to));
    }
}
