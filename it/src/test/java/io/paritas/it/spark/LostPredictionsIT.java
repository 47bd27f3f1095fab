/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.it.Await;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others have predicted is gone when a segment could be reconstructed from it. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class LostPredictionsIT {
    private static final int ROWS = 192;
    private static final int K = 2;
    /* One stripe of three, where this is the one that is held up. */
    private static final int SEGMENTS = K + 1;
    private static final int HELD = 0;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;
    private KnownAnswers known;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        known = KnownAnswers.offset(folder, K);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        Leftovers.awaitNone(session);
    }

    @Test
    void reconstructsASegmentThatFailsWhenTheOthersAreThere() throws Exception {
        CompletableFuture<List<Row>> query = hold();

        release();

        assertThat(known.check(query.get(), ROWS)).isNotEmpty();
    }

    /** Blocks are numbered by their segments, those of the parity behind. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, SEGMENTS + 1, SEGMENTS + 2})
    void predictsASegmentThatCannotBeReconstructed(int lost) throws Exception {
        CompletableFuture<List<Row>> query = hold();

        Leftovers.blocks().stream()
                .filter(block -> block.endsWith("_" + lost))
                .forEach(block -> SparkEnv.get().blockManager().master().removeBlock(BlockId.apply(block)));
        Await.until("the block is gone", () -> Leftovers.blocks().size() == 2 * K - 1, Leftovers::blocks);
        release();

        assertThat(known.check(query.get(), ROWS)).isEmpty();
    }

    @Test
    void predictsAgainWhatAKilledExecutorHad() throws Exception {
        CompletableFuture<List<Row>> query = hold();
        String holder = SparkEnv.get()
                .blockManager()
                .master()
                .getLocations(BlockId.apply(Leftovers.blocks().get(0)))
                .head()
                .executorId();

        SPARK.executor(holder).kill();
        release();

        known.check(query.get(), ROWS);
    }

    /** Runs a prediction until all segments but one have their data and their parity. */
    private CompletableFuture<List<Row>> hold() throws Exception {
        Dataset<Row> answers = KnownAnswers.rows(session, ROWS, K)
                .select(
                        col("id"),
                        known.predict()
                                .option(CodedSettings.PATIENCE, 1e6)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*");
        Dataset<Row> held =
                answers.mapPartitions(new FailWhen(folder.resolve("fail").toString()), Encoders.row(answers.schema()));
        CompletableFuture<List<Row>> query = CompletableFuture.supplyAsync(held::collectAsList);
        Await.until("the others have predicted", () -> Leftovers.blocks().size() == 2 * K, Leftovers::blocks);
        return query;
    }

    private void release() throws Exception {
        Files.createFile(folder.resolve("fail"));
    }

    /**
     * The first attempt for the segment that is held up fails, so that the others compute their parity; the second one waits for a
     * file, and fails.
     */
    private record FailWhen(String file) implements MapPartitionsFunction<Row, Row>, Serializable {
        @Override
        public Iterator<Row> call(Iterator<Row> rows) throws Exception {
            TaskContext task = TaskContext.get();
            if (task.partitionId() == HELD && task.attemptNumber() <= 1 && task.stageAttemptNumber() == 0) {
                while (task.attemptNumber() == 1 && !Files.exists(Path.of(file))) {
                    TimeUnit.MILLISECONDS.sleep(20);
                }
                throw new IllegalStateException("a fault of the test");
            }
            return rows;
        }
    }
}
