/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class AbandonedRowsTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final AtomicBoolean INTERRUPTED = new AtomicBoolean();

    /** The last row fails when others are stored. The first one is computed until its task is killed. */
    private static int row(int number) throws InterruptedException {
        while (number == 3 && PluginSession.storedBlocks() < 2) {
            Thread.sleep(1);
        }
        if (number == 3) {
            throw new IllegalStateException("row 3 is bad");
        }
        while (number == 0 && !(INTERRUPTED.get() && TaskContext.get().isInterrupted())) {
            Thread.sleep(1);
        }
        return number;
    }

    private static void keep(JavaSparkContext context) {
        ErasureCodedStore.of(
                context.parallelize(List.of(0, 1, 2, 3), 4)
                        .map(AbandonedRowsTest::row)
                        .rdd(),
                CodeName.parse("rs-2-1"),
                StoreSettings.of(context.getConf()));
    }

    private static boolean cleansUp(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(call -> call.getMethodName().equals("after"));
    }

    /** While executors are asked to drop them. */
    @Test
    void areAllDroppedThoughTheirThreadIsInterruptedLater() throws Exception {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        INTERRUPTED.set(true);
        try (InterruptingEndpoint interrupting =
                new InterruptingEndpoint(BlockManagerMessages.RemoveRdd.class::isInstance)) {
            assertThatThrownBy(() -> keep(context))
                    .isInstanceOf(SparkException.class)
                    .hasMessageContaining("row 3 is bad")
                    .hasNoSuppressedExceptions();
        }
        assertThat(Thread.interrupted()).isTrue();
        PluginSession.awaitNoBlocks();
        assertThat(context.getPersistentRDDs()).isEmpty();
    }

    /** As by Spark Connect, which cancels the jobs of a query and interrupts its thread. */
    @Test
    @Timeout(120)
    void areDroppedThoughTheirThreadIsInterrupted() throws Exception {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        INTERRUPTED.set(false);
        Thread here = Thread.currentThread();
        CompletableFuture<Void> interrupting = CompletableFuture.runAsync(() -> {
            while (!cleansUp(here)) {
                Thread.onSpinWait();
            }
            here.interrupt();
            INTERRUPTED.set(true);
        });

        assertThatThrownBy(() -> keep(context))
                .isInstanceOf(SparkException.class)
                .hasMessageContaining("row 3 is bad");

        interrupting.join();
        assertThat(Thread.interrupted()).isTrue();
        PluginSession.awaitNoBlocks();
        assertThat(context.getPersistentRDDs()).isEmpty();
    }
}
