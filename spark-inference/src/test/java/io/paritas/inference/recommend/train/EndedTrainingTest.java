/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A training that ends before its time gives its slots back. */
class EndedTrainingTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final Tables TABLES = Tables.of(50);
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));
    private static final CountDownLatch READING = new CountDownLatch(1);
    private static final CountDownLatch GOES_ON = new CountDownLatch(1);
    private static final AtomicBoolean READ = new AtomicBoolean();

    private static Dataset<Row> samples() {
        return new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(SPARK, 0, 20, 1);
    }

    private static Training train(MapPartitionsFunction<Row, Row> heldOut) throws InterruptedException {
        return RecommendationTrainer.of(SHAPE)
                .servers(1)
                .redundancy(Redundancy.none())
                .options(HostOptions.DEFAULT.withSpares(0))
                .evaluation(samples().mapPartitions(heldOut, Encoders.row(Samples.SCHEMA)), 1)
                .train(samples());
    }

    /** They are read once before the training. */
    private static MapPartitionsFunction<Row, Row> whenReadAgain(MapPartitionsFunction<Row, Row> heldOut) {
        READ.set(false);
        return rows -> READ.getAndSet(true) ? heldOut.call(rows) : rows;
    }

    private static boolean isRunning() {
        return SPARK.sparkContext().statusTracker().getActiveJobIds().length > 0
                || Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().startsWith("paritas-supervisor")
                                || thread.getName().startsWith("paritas-worker"));
    }

    private static void awaitEnd() throws InterruptedException {
        while (isRunning()) {
            Thread.sleep(10);
        }
    }

    @Test
    @Timeout(120)
    void anEvaluationThatFailsEndsIt() throws InterruptedException {
        assertThatThrownBy(() -> train(whenReadAgain(rows -> {
                    throw new IllegalStateException("unreadable");
                })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("an evaluation has failed: Job aborted due to stage failure")
                .hasMessageContaining("unreadable");
        awaitEnd();
    }

    /** Interrupted, as by whoever cancels a cell of a notebook. */
    @Test
    @Timeout(120)
    void anEvaluationThatIsInterruptedEndsWithIt() throws InterruptedException {
        Thread here = Thread.currentThread();
        Thread other = new Thread(() -> {
            try {
                READING.await();
                here.interrupt();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        other.start();
        assertThatThrownBy(() -> train(whenReadAgain(rows -> {
                    READING.countDown();
                    GOES_ON.await();
                    return rows;
                })))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        other.join();
        GOES_ON.countDown();
        awaitEnd();
    }
}
