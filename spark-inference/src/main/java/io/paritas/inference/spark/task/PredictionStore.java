/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Help;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.spark.job.Interrupt;
import io.paritas.spark.job.LocalBlocks;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Keeps predictions of segments in Spark's block managers, for other tasks. A segment has one block for its data, one
 * for each of its parities, and one for its data if it was reconstructed. To Spark they are blocks of an RDD: it moves
 * them when an executor is decommissioned, and drops them with the execution.
 */
final class PredictionStore {
    private static final Logger LOG = LoggerFactory.getLogger(PredictionStore.class);
    private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

    private final BlockManager manager = SparkEnv.get().blockManager();
    private final int id;
    private final Layout layout;

    PredictionStore(int id, Layout layout) {
        this.id = id;
        this.layout = layout;
    }

    /** Whether blocks are kept at all. */
    boolean isOpen() {
        return id != Instruction.NO_BLOCKS;
    }

    /** Of the blocks. */
    int id() {
        return id;
    }

    /** Of work that was done for a segment. */
    int made(Help.Work work) {
        return work instanceof Help.Parity parity
                ? parity(parity.segment(), parity.number())
                : computed(work.segment());
    }

    int computed(int segment) {
        return segment;
    }

    int parity(int segment, int parity) {
        return layout.segments() * (1 + parity) + segment;
    }

    int reconstructed(int segment) {
        return layout.segments() * (1 + layout.r()) + segment;
    }

    /** A block under construction. */
    static final class Block {
        private final List<ByteBuffer> chunks = new ArrayList<>();

        boolean isEmpty() {
            return chunks.isEmpty();
        }

        /** Adds the answers to a segment's batch of a group. */
        void add(long group, Answers answers) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeLong(group);
                answers.write(out);
            } catch (IOException e) {
                throw new UncheckedIOException("memory can always be written", e);
            }
            chunks.add(ByteBuffer.wrap(bytes.toByteArray()));
        }
    }

    /** Keeps a block; returns whether it is there. An executor that leaves takes none, nor does a full disk. */
    boolean put(int index, Block block) {
        ChunkedByteBuffer bytes = new ChunkedByteBuffer(block.chunks.toArray(ByteBuffer[]::new));
        try {
            return manager.putBytes(blockId(index), bytes, StorageLevel.MEMORY_AND_DISK_SER(), true, BYTES);
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (Interrupt.caused(e)) {
                throw e;
            }
            LOG.warn("Paritas: predictions are not kept for other tasks: {}", e.getMessage());
            return false;
        }
    }

    /**
     * Keeps a block and tells the coordinator, who says what to do for others; drops the block if the execution is over. Of one that this
     * executor does not take nobody hears, and the task does no more for others.
     */
    Help keep(int index, Block block, Supplier<Help> tell) {
        if (!isOpen() || !put(index, block)) {
            return Help.End.OVER;
        }
        Help next = tell.get();
        if (next == Help.End.OVER) {
            remove(index);
        }
        return next;
    }

    void remove(int index) {
        manager.removeBlock(blockId(index), true);
    }

    /** The answers of a block, by group; empty if no executor has it. */
    Optional<Map<Long, Answers>> get(int index) {
        BlockId block = blockId(index);
        Optional<BlockData> local = LocalBlocks.read(manager, block);
        if (local.isPresent()) {
            Exception failure;
            try {
                return Optional.of(read(local.get().toInputStream()));
            } catch (Exception e) { // as above
                if (Interrupt.caused(e)) {
                    throw e;
                }
                failure = e;
            } finally {
                manager.releaseLock(block, Option.empty());
            }
            LocalBlocks.drop(manager, block, failure);
        }
        Option<ChunkedByteBuffer> remote = manager.getRemoteBytes(block);
        return remote.isDefined() ? Optional.of(read(remote.get().toInputStream(true))) : Optional.empty();
    }

    private static Map<Long, Answers> read(InputStream block) {
        Map<Long, Answers> answers = new HashMap<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(block))) {
            while (true) {
                long group;
                try {
                    group = in.readLong();
                } catch (EOFException e) {
                    return answers;
                }
                answers.put(group, Answers.read(in));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a block of predictions cannot be read: " + e.getMessage(), e);
        }
    }

    private BlockId blockId(int index) {
        return new RDDBlockId(id, index);
    }
}
