/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.Await;
import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.store.ErasureCodedRDD;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.StorageStatus;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import scala.reflect.ClassTag$;

/** Rows that nobody repairs: who reads them decodes them. On executors with little memory, with speculation. */
@Order(SparkClusters.UNREPAIRED)
@Tag(SparkClusters.SHARED)
class UnrepairedRowsIT {
    private static final int PARTITIONS = 15;

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    private SparkSession session;
    private Gate open;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(CodedClusters.UNREPAIRED);
        open = Gate.in(folder);
        open.open();
    }

    @Test
    void areDecodedByWhoReadsThem() throws Exception {
        try (Kept kept = Kept.of(session, Lineage.SHUFFLED, PARTITIONS, CodedClusters.CODE, open)) {
            CodedClusters.kill(SPARK, List.of(3, 0));

            kept.check();

            assertThat(kept.metrics().decoded().value()).isPositive();
            kept.checkNothingRecomputed();
            assertThat(kept.health().missingUnits()).isPositive();
            assertThat(kept.health().brokenStripes()).isZero();
        }
    }

    @Test
    void damageIsFoundAndDecodedAndReplaced() throws Exception {
        try (Kept kept = Kept.of(session, Lineage.NARROW, PARTITIONS, CodedClusters.CODE, open)) {
            damage(new RDDBlockId(kept.rdd().id(), 7));

            kept.check();
            assertThat(kept.metrics().damaged().value()).isEqualTo(1);
            assertThat(kept.metrics().decoded().value()).isEqualTo(1);

            kept.check();
            assertThat(kept.metrics().damaged().value()).as("found again").isEqualTo(1);
            kept.checkNothingRecomputed();
        }
    }

    /** Stores other bytes where a block is. */
    private static void damage(RDDBlockId block) throws Exception {
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        BlockManagerId holder = master.getLocations(block).head();
        master.removeBlock(block);
        Await.until("the block is gone", () -> master.getLocations(block).isEmpty(), () -> master.getLocations(block));
        SparkEnv.get()
                .blockManager()
                .blockTransferService()
                .uploadBlockSync(
                        holder.host(),
                        holder.port(),
                        holder.executorId(),
                        block,
                        new NioManagedBuffer(ByteBuffer.wrap(new byte[5000])),
                        StorageLevel.MEMORY_AND_DISK_SER(),
                        ClassTag$.MODULE$.apply(byte[].class));
        assertThat(master.getLocations(block).head()).isEqualTo(holder);
    }

    @Test
    void areOnDiskWhereMemoryIsShort() throws Exception {
        JavaSparkContext context = new JavaSparkContext(session.sparkContext());
        LongAccumulator computed = session.sparkContext().longAccumulator();
        JavaRDD<byte[]> rows =
                context.parallelize(IntStream.range(0, 60).boxed().toList(), 60).map(new LargeRow(computed));
        JavaRDD<byte[]> kept = ErasureCoded.persist(rows, CodedClusters.CODE);
        long atFirst = computed.value();
        assertThat(Arrays.stream(SparkEnv.get().blockManager().master().getStorageStatus()))
                .filteredOn(status -> !status.blockManagerId().isDriver())
                .extracting(StorageStatus::diskUsed)
                .allSatisfy(bytes -> assertThat(bytes).isPositive());

        CodedClusters.kill(SPARK, List.of(1, 2));

        assertThat(kept.map(Arrays::hashCode).collect())
                .isEqualTo(IntStream.range(0, 60)
                        .mapToObj(LargeRow::of)
                        .map(Arrays::hashCode)
                        .toList());
        assertThat(computed.value()).isEqualTo(atFirst);
        assertThat(((ErasureCodedRDD<byte[]>) kept.rdd()).metrics().decoded().value())
                .isPositive();
        kept.unpersist();
    }

    /** Of 2.5 MB, which nothing compresses: 50 MB of them, parity included, for each executor. */
    private record LargeRow(LongAccumulator computed) implements Function<Integer, byte[]>, Serializable {
        static byte[] of(int number) {
            byte[] bytes = new byte[5 << 19];
            new Random(number).nextBytes(bytes);
            return bytes;
        }

        @Override
        public byte[] call(Integer number) {
            computed.add(1);
            return of(number);
        }
    }

    /** Two attempts at a partition run at the same time, and both may store it. */
    @Test
    void speculationDoesNoHarm() throws Exception {
        JavaSparkContext context = new JavaSparkContext(session.sparkContext());
        JavaRDD<Integer> rows = context.parallelize(
                        IntStream.range(0, 600).boxed().toList(), PARTITIONS)
                .map(new WaitingForCopy(folder.resolve("copy").toString()));
        JavaRDD<Integer> kept = ErasureCoded.persist(rows, CodedClusters.CODE);

        CodedClusters.kill(SPARK, List.of(4, 2));

        assertThat(kept.collect()).isEqualTo(IntStream.range(0, 600).boxed().toList());
        kept.unpersist();
    }

    /** The last partition's first attempt waits until the second one has begun. */
    private record WaitingForCopy(String begun) implements Function<Integer, Integer>, Serializable {
        @Override
        public Integer call(Integer row) throws Exception {
            TaskContext task = TaskContext.get();
            if (task.partitionId() == PARTITIONS - 1) {
                Path copy = Path.of(begun);
                if (task.attemptNumber() > 0 && !Files.exists(copy)) {
                    Files.createFile(copy);
                }
                Await.until("a copy has begun", () -> Files.exists(copy), () -> task);
            }
            return row;
        }
    }
}
