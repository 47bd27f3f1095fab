/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.ErasureCodedStore;
import io.paritas.spark.ec.store.Health;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockManagerRemoved;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.Option;

class EndedApplicationTest {
    private static CountDownLatch started;

    /** Spark tells listeners of executors that end with their application, too. */
    @Test
    void nobodyRepairsAnyMore() throws Exception {
        SparkSession spark = PluginSession.start(PluginSession.builder());
        SparkContext context = spark.sparkContext();
        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
        try (Logged logged = new Logged("org.apache.spark.scheduler.AsyncEventQueue")) {
            context.listenerBus().post(new SparkListenerApplicationEnd(1, Option.empty()));
            context.listenerBus()
                    .post(new SparkListenerBlockManagerRemoved(
                            1, SparkEnv.get().blockManager().blockManagerId()));
            context.listenerBus().waitUntilEmpty();
            assertThat(logged.lines()).noneMatch(line -> line.startsWith("ERROR"));
        }
        spark.stop();
    }

    /** Its executors end, and all that they have with them. */
    @Test
    void nothingIsToldOfWhatStaysOfRowsThatWereBeingStored() {
        started = new CountDownLatch(1);
        JavaSparkContext context = new JavaSparkContext(
                PluginSession.start(PluginSession.builder()).sparkContext());
        CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
            try {
                started.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            context.stop();
        });
        JavaRDD<Integer> rows = context.parallelize(List.of(0, 1, 2, 3), 4).map(EndedApplicationTest::untilTheEnd);
        try (Logged log = new Logged("io.paritas.spark.ec.store.ErasureCodedStore")) {
            assertThatThrownBy(() -> ErasureCoded.persist(rows, "rs-2-1"))
                    .isInstanceOf(SparkException.class)
                    .hasMessageContaining("SparkContext was shut down");
            assertThat(log.lines()).isEmpty();
        }
        end.join();
    }

    /** As in a {@code finally} of a program whose session has ended. */
    @Test
    void nothingIsLeftToDrop() {
        SparkSession spark = PluginSession.start(PluginSession.builder());
        Dataset<Long> kept = ErasureCoded.persist(spark.range(4), "rs-1-1");
        ErasureCodedStore<?> store = ErasureCodedDatasets.store(kept).orElseThrow();
        Health health = store.health();
        spark.stop();
        assertThatIllegalStateException()
                .isThrownBy(() -> ErasureCoded.health(kept))
                .withMessage("an application must run to say what is stored of its rows, this one has ended");
        assertThat(store.bytes()).isPositive().isEqualTo(health.dataBytes() + health.parityBytes());
        assertThatNoException().isThrownBy(() -> ErasureCoded.unpersist(kept));
        assertThat(store.bytes()).isZero();
        assertThat(ErasureCoded.health(kept).dataBytes()).isZero();
    }

    private static int untilTheEnd(int row) throws InterruptedException {
        started.countDown();
        Thread.sleep(60_000);
        return row;
    }
}
