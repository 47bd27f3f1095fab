/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows that a task reads while they are dropped: it keeps their units locked. */
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

    private static void read(Row row) throws InterruptedException {
        STARTED.countDown();
        DROPPED.await(1, TimeUnit.MINUTES);
    }
}
