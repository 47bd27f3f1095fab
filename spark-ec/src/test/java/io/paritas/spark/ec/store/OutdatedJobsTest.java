/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that go on with stripes that are not those of today: dropped since, or formed again. */
class OutdatedJobsTest {
    private static final int PARTITIONS = 12;

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final AtomicInteger COMPUTED = new AtomicInteger();
    private static volatile CountDownLatch started;
    private static volatile CountDownLatch held;

    @BeforeEach
    void reset() {
        COMPUTED.set(0);
        started = new CountDownLatch(1);
        held = new CountDownLatch(1);
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        PluginSession.awaitNoBlocks();
    }

    @Test
    void storeNothingOfRowsThatWereDropped() throws Exception {
        ErasureCodedStore<Integer> store = keep(numbers());
        lose(store, 0, 1); // what is decoded holds no lock that the drop would wait for
        CompletableFuture<List<Integer>> job = begin(store);
        store.close();
        held.countDown();

        assertThat(job.get()).hasSize(PARTITIONS);
        assertThat(PluginSession.storedBlocks()).isZero();
    }

    @Test
    void dropNoUnitsOfNewStripes() throws Exception {
        ErasureCodedStore<Integer> store = keep(numbers().map(number -> COMPUTED.incrementAndGet()));
        CompletableFuture<List<Integer>> job = begin(store);
        lose(store, 1, PARTITIONS);
        assertThat(store.repair()).isPositive();
        List<Integer> rows = read(store);
        held.countDown();

        assertThat(job.get()).hasSize(PARTITIONS);
        assertThat(store.rdd().metrics().damaged().value()).isZero();
        assertThat(store.health().missingUnits()).isZero();
        assertThat(read(store)).isEqualTo(rows);
        store.close();
    }

    private static JavaRDD<Integer> numbers() {
        return context().parallelize(IntStream.range(0, PARTITIONS).boxed().toList(), PARTITIONS);
    }

    private static ErasureCodedStore<Integer> keep(JavaRDD<Integer> rows) {
        return ErasureCodedStore.of(
                rows.rdd(),
                CodeName.parse("rs-4-1"),
                StoreSettings.of(SESSION.spark().sparkContext().conf()));
    }

    /** A job whose task has read the first partition, and is held up before it reads others. */
    private static CompletableFuture<List<Integer>> begin(ErasureCodedStore<Integer> store)
            throws InterruptedException {
        CompletableFuture<List<Integer>> job = CompletableFuture.supplyAsync(
                () -> rdd(store).coalesce(1).map(OutdatedJobsTest::hold).collect());
        assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
        return job;
    }

    private static int hold(int row) throws InterruptedException {
        started.countDown();
        held.await();
        return row;
    }

    private static void lose(ErasureCodedStore<Integer> store, int from, int to) {
        UnitStore units = new UnitStore();
        IntStream.range(from, to)
                .forEach(partition -> units.remove(new RDDBlockId(store.rdd().id(), partition)));
    }

    private static List<Integer> read(ErasureCodedStore<Integer> store) {
        return rdd(store).collect();
    }

    private static JavaRDD<Integer> rdd(ErasureCodedStore<Integer> store) {
        return new JavaRDD<>(store.rdd(), store.rdd().elementClassTag());
    }

    private static JavaSparkContext context() {
        return new JavaSparkContext(SESSION.spark().sparkContext());
    }
}
