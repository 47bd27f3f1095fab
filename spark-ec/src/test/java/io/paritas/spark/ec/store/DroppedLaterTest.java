/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Units that are there after their rows were dropped: a task that reads keeps them locked, or somebody stores them later. */
class DroppedLaterTest {
    @RegisterExtension
    static final PluginSession SESSION = PluginSession.impatient();

    private static final CountDownLatch STARTED = new CountDownLatch(1);
    private static final CountDownLatch DROPPED = new CountDownLatch(1);

    @Test
    void nobodyWaitsForATaskThatReads() throws Exception {
        Dataset<Row> kept = ErasureCoded.persist(SESSION.sql("SELECT id FROM RANGE(0, 1000, 1, 2)"), "rs-1-1");
        CompletableFuture<Void> reading =
                CompletableFuture.runAsync(() -> kept.toJavaRDD().foreach(DroppedLaterTest::read));
        try {
            assertThat(STARTED.await(1, TimeUnit.MINUTES)).isTrue();
            ErasureCoded.unpersist(kept);
            assertThat(reading).isNotDone();
        } finally {
            DROPPED.countDown();
        }
        reading.get(1, TimeUnit.MINUTES);
        PluginSession.awaitNoBlocks();
    }

    /** As by an executor that was frozen. */
    @Test
    void aUnitThatIsStoredLaterIsDroppedInTheNextRound() throws InterruptedException {
        SparkSession spark = SESSION.spark();
        ErasureCodedStore<?> store = ErasureCodedDatasets.store(ErasureCoded.persist(spark.range(1), "rs-1-1"))
                .orElseThrow();
        RDDBlockId unit = new RDDBlockId(store.rdd().id(), 0);
        store.close();
        new UnitStore().put(unit, new ChunkedByteBuffer(ByteBuffer.allocate(1)));

        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
        Repairer.known(spark.sparkContext()).orElseThrow().repairAll();

        for (int wait = 0; wait < 100 && new UnitStore().has(unit); wait++) {
            Thread.sleep(100);
        }
        assertThat(new UnitStore().has(unit)).isFalse();
    }

    private static void read(Row row) throws InterruptedException {
        STARTED.countDown();
        DROPPED.await(1, TimeUnit.MINUTES);
    }
}
