/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that are killed without an interruption, as Spark's are by default: they have to look. */
class CancelledJobsTest {
    private static final int ELEMENTS = 300;

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final AtomicInteger AFTER = new AtomicInteger();
    private static volatile CountDownLatch started;
    private static volatile CountDownLatch ended;

    @BeforeEach
    void reset() {
        AFTER.set(0);
        started = new CountDownLatch(1);
        ended = new CountDownLatch(1);
    }

    @Test
    void computeNoMoreRowsToKeep() throws Exception {
        JavaRDD<byte[]> elements = numbers().map(CancelledJobsTest::element);
        cancel(() -> ErasureCoded.persist(elements, "rs-1-1"));
        assertThat(AFTER).hasValueLessThan(ELEMENTS / 10);
        PluginSession.awaitNoBlocks();
    }

    @Test
    void readNoMoreKeptRows() throws Exception {
        JavaRDD<Integer> kept = ErasureCoded.persist(numbers(), "rs-1-1");
        cancel(() -> kept.map(CancelledJobsTest::element).count());
        assertThat(AFTER).hasValueLessThan(ELEMENTS / 10);
        kept.unpersist();
        PluginSession.awaitNoBlocks();
    }

    private static JavaRDD<Integer> numbers() {
        return context().parallelize(List.of(0), 1).flatMap(CancelledJobsTest::many);
    }

    private static Iterator<Integer> many(int seed) {
        return IntStream.range(0, ELEMENTS).iterator();
    }

    /** The first element begins when the job is cancelled. */
    private static byte[] element(int number) throws InterruptedException {
        if (started.getCount() > 0) {
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> ended.countDown());
            started.countDown();
        }
        while (!TaskContext.get().isInterrupted()) {
            Thread.sleep(1);
        }
        AFTER.incrementAndGet();
        return new byte[100_000];
    }

    private static void cancel(Supplier<?> job) throws InterruptedException {
        CompletableFuture<?> running = CompletableFuture.supplyAsync(() -> {
            context().setJobGroup("cancelled", "a job that is cancelled", false);
            try {
                return job.get();
            } finally {
                context().clearJobGroup();
            }
        });
        assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
        context().cancelJobGroup("cancelled");
        assertThatThrownBy(running::get).hasMessageContaining("cancelled");
        assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
    }

    private static JavaSparkContext context() {
        return new JavaSparkContext(SESSION.spark().sparkContext());
    }
}
