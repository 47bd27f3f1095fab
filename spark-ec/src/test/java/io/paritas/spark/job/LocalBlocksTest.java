/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.PluginSession;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Memory has room for one of two blocks, so that the one before is on disk, and comes back to memory when a task reads it. */
class LocalBlocksTest {
    private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);
    private static final RDDBlockId ON_DISK = new RDDBlockId(1_000, 0);
    private static final RDDBlockId IN_MEMORY = new RDDBlockId(2_000, 1);

    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.testing.memory", "4000000")
                .config("spark.testing.reservedMemory", "0")
                .config("spark.memory.fraction", "0.5"));
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    /** What a task finds of the block that is on disk. */
    private String found(Trouble trouble) {
        return new JavaSparkContext(spark.sparkContext())
                .parallelize(List.of(0), 1)
                .map(row -> {
                    BlockManager manager = SparkEnv.get().blockManager();
                    put(manager, ON_DISK);
                    put(manager, IN_MEMORY);
                    assertThat(manager.getStatus(ON_DISK).get().memSize()).isZero();
                    trouble.make(manager);
                    String read = LocalBlocks.read(manager, ON_DISK)
                            .map(data -> "found")
                            .orElse("empty");
                    boolean locked = LocalBlocks.isRead(manager, ON_DISK);
                    manager.removeBlock(IN_MEMORY, true);
                    return read + ", " + (locked ? "locked" : "free") + ", "
                            + (manager.getStatus(ON_DISK).isDefined() ? "kept" : "dropped");
                })
                .first();
    }

    private static void put(BlockManager manager, BlockId block) {
        manager.putBytes(
                block,
                new ChunkedByteBuffer(ByteBuffer.allocate(1_200_000)),
                StorageLevel.MEMORY_AND_DISK_SER(),
                true,
                BYTES);
    }

    private interface Trouble extends Serializable {
        void make(BlockManager manager) throws IOException;
    }

    @Test
    void aBlockIsLockedUntilItIsReleased() {
        assertThat(found(manager -> {})).isEqualTo("found, locked, kept");
    }

    @Test
    void aBlockWhoseFileIsGoneIsDropped() {
        assertThat(found(manager -> assertThat(file(manager, ON_DISK).delete()).isTrue()))
                .isEqualTo("empty, free, dropped");
    }

    /** Spark leaves the block locked by the task that failed to read it. */
    @Test
    void aBlockWhoseFileIsCutIsDropped() {
        assertThat(found(manager -> {
                    manager.removeBlock(IN_MEMORY, true);
                    try (RandomAccessFile file = new RandomAccessFile(file(manager, ON_DISK), "rw")) {
                        file.setLength(1_000);
                    }
                }))
                .isEqualTo("empty, free, dropped");
    }

    /** The file is right, but the block that leaves memory for it cannot be written. */
    @Test
    void aBlockThatFindsNoRoomIsDropped() {
        assertThat(found(manager -> assertThat(
                                file(manager, IN_MEMORY).getParentFile().delete())
                        .isTrue()))
                .isEqualTo("empty, free, dropped");
    }

    private static File file(BlockManager manager, BlockId block) {
        return manager.diskBlockManager().getFile(block);
    }
}
