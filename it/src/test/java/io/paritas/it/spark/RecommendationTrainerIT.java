/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.SplitSamples;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.model.TrainedModel;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingEvent;
import io.paritas.inference.recommend.train.TrainingListener;
import io.paritas.inference.recommend.train.TrainingProgress;
import io.paritas.it.LongTest;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Training on an executor for each server and worker, of which one is killed at half way. */
class RecommendationTrainerIT {
    private static final Tables TABLES = Tables.of(900, 300);
    private static final DlrmShape SHAPE =
            new DlrmShape(4, List.of(16, 8), TABLES, 8, Interaction.CONCATENATION, List.of(16));
    private static final Optimizer ROWS = new Optimizer.Adagrad(0.2f, 1e-8f);
    private static final Optimizer NETWORK = new Optimizer.Adam(0.005f, 0.9f, 0.999f, 1e-8f);
    private static final int BATCH = 32;
    private static final int SAMPLES = 200 * BATCH;
    private static final GeneratedClicks CLICKS = new GeneratedClicks(TABLES, 4, 6, 1.05, 3);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters(new StandaloneCluster.Size(5, 1, 512));

    @TempDir
    Path folder;

    private static RecommendationTrainer trainer() {
        return RecommendationTrainer.of(SHAPE)
                .rowOptimizer(ROWS)
                .networkOptimizer(NETWORK)
                .batch(BATCH)
                .seed(9)
                .interval(Duration.ofMillis(100));
    }

    /** Kills what a test names, once, when a number of samples is committed. */
    private abstract static class Killer implements TrainingListener {
        private final List<String> events = new ArrayList<>();
        private boolean killed;
        private String executor = "";

        abstract String victim(TrainingProgress progress);

        @Override
        public void progress(TrainingProgress progress) {
            if (!killed && progress.samples() >= SAMPLES / 4) {
                killed = true;
                executor = victim(progress);
                SPARK.executor(executor).kill();
            }
        }

        @Override
        public void event(TrainingEvent event) {
            events.add(event.text());
        }
    }

    /** Invariant I32: the same as without servers, bit for bit. */
    @Test
    void theLossOfAServerChangesNothing() throws Exception {
        SparkSession session = SPARK.session();
        Dataset<Row> samples = CLICKS.samples(session, 0, SAMPLES, 1);
        LocalDlrmTraining local = LocalDlrmTraining.train(SHAPE, samples, BATCH, 9, ROWS, NETWORK);
        Killer killer = new Killer() {
            @Override
            String victim(TrainingProgress progress) {
                return progress.servers().executors().get(0);
            }
        };
        try (Training training = trainer()
                .listener(killer)
                .evaluation(CLICKS.samples(session, SAMPLES, SAMPLES + 5000, 2), 1)
                .train(samples)) {
            assertThat(killer.killed).isTrue();
            assertThat(training.curve().losses()).isEqualTo(local.losses());
            assertThat(training.metrics().servers().replaced()).isEqualTo(1);
            assertThat(killer.events)
                    .anyMatch(event -> event.startsWith("a server is lost"))
                    .contains("another task has taken its place")
                    .contains("epoch 1 of 1 is trained")
                    .anyMatch(event -> event.startsWith("evaluated: 5000 samples: AUC 0."));
            assertThat(training.evaluations().get(0).auc()).isGreaterThan(0.6);
            String model = folder.resolve("model").toString();
            training.model().write(model);
            TrainedModel written = TrainedModel.read(session, model);
            assertThat(written.network()).isEqualTo(local.network());
            List<Row> rows = written.rows().orderBy("id").collectAsList();
            assertThat(rows).hasSize((int) TABLES.rows());
            for (int id = 0; id < rows.size(); id++) {
                List<Float> row = rows.get(id).getList(1);
                for (int i = 0; i < SHAPE.dimension(); i++) {
                    assertThat(row.get(i)).as("number %d of row %d", i, id).isEqualTo(local.rows()[id][i]);
                }
            }
        }
    }

    /** Its partition is trained on by another task, from the first batch that was not committed: the rows are those of one pass. */
    @Test
    void noBatchIsTrainedTwiceWhenAWorkerIsLost() throws Exception {
        SparkSession session = SPARK.session();
        Dataset<Row> samples = CLICKS.samples(session, 0, SAMPLES, 1);
        LocalDlrmTraining local = LocalDlrmTraining.train(SHAPE, samples, BATCH, 9, ROWS, NETWORK);
        List<String> started = new ArrayList<>();
        SparkListener tasks = new SparkListener() {
            private int trains = -1;

            /** Other stages are of servers, and of spare ones. */
            @Override
            public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
                if (submitted.stageInfo().name().contains("TrainingRun")) {
                    trains = submitted.stageInfo().stageId();
                }
            }

            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                synchronized (started) {
                    if (start.stageId() == trains) {
                        started.add(start.taskInfo().executorId());
                    }
                }
            }
        };
        session.sparkContext().addSparkListener(tasks);
        Killer killer = new Killer() {
            /** The worker's. */
            @Override
            String victim(TrainingProgress progress) {
                synchronized (started) {
                    return started.get(started.size() - 1);
                }
            }
        };
        try (Training training = trainer().listener(killer).train(samples)) {
            assertThat(killer.killed).isTrue();
            assertThat(training.metrics().servers().replaced()).isZero();
            assertThat(training.model().network()).isEqualTo(local.network());
        } finally {
            session.sparkContext().removeSparkListener(tasks);
        }
    }

    /** Without redundancy all go back to a checkpoint, and what was trained since is trained again: in the end nothing is missing. */
    @LongTest
    @Test
    void withoutRedundancyServersGoBackToACheckpoint() throws Exception {
        Dataset<Row> samples = CLICKS.samples(SPARK.session(), 0, SAMPLES, 1);
        LocalDlrmTraining local = LocalDlrmTraining.train(SHAPE, samples, BATCH, 9, ROWS, NETWORK);
        String checkpoints = folder.resolve("checkpoints").toUri().toString();
        Killer killer = new Killer() {
            @Override
            String victim(TrainingProgress progress) {
                return progress.servers().executors().get(1);
            }
        };
        try (Training training = trainer()
                .redundancy(Redundancy.none())
                .checkpoints(CheckpointPolicy.everyBatches(checkpoints, 20))
                .listener(killer)
                .train(samples)) {
            assertThat(killer.killed).isTrue();
            assertThat(killer.events)
                    .anyMatch(event -> event.matches("checkpoint \\d+ is written"))
                    .contains("all servers have gone back to the last checkpoint")
                    .filteredOn(event -> event.startsWith("a server is lost"))
                    .containsExactly("a server is lost: executor " + killer.executor);
            assertThat(training.model().network()).isEqualTo(local.network());
        }
        try (Training training = trainer().resume(checkpoints).train(samples)) {
            assertThat(training.metrics().batches()).isLessThan(local.losses().size() / 2);
            assertThat(training.model().network()).isEqualTo(local.network());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer().batch(16).resume(checkpoints).train(samples))
                .withMessageContaining("got others: batch was 32 and is 16. Use the same settings, or another folder");
    }

    /** A third of the shops is clicked on, and nothing else matters. */
    @Test
    void aTableIsTrainedOnAndScored() throws Exception {
        Dataset<Row> table = SPARK.session()
                .range(0, 12_000, 1, 3)
                .selectExpr(
                        "concat('shop ', id % 97) AS shop",
                        "int(id % 53) AS city", "double(id % 11) AS price", "id % 97 % 3 = 0 AS clicked");
        FeatureEncoding encoding = FeatureEncoding.vocabulary(
                new FeatureColumns("clicked", List.of("price"), List.of("shop", "city"), Scale.NONE), table, 200, 1);
        DlrmShape shape =
                new DlrmShape(1, List.of(16, 8), encoding.tables(), 8, Interaction.CONCATENATION, List.of(16));
        String folderOfModel = folder.resolve("table-model").toUri().toString();
        try (SplitSamples split = SplitSamples.of(encoding.samples(table), 0.1, 1);
                Training training = RecommendationTrainer.of(shape)
                        .batch(64)
                        .epochs(30)
                        .evaluation(split.evaluation().orElseThrow(), 1)
                        .stopEarly(1)
                        .fingerprint(split.counts().fingerprint())
                        .train(split.training())) {
            assertThat(training.evaluations()).hasSizeBetween(2, 29);
            training.model().write(folderOfModel, Optional.of(encoding));
        }
        FeatureEncoding read =
                TrainedModel.encoding(SPARK.session(), folderOfModel).orElseThrow();
        Dataset<Row> scored = TrainedModel.read(SPARK.session(), folderOfModel)
                .predict(read.features(table.drop("clicked").limit(500)))
                .drop("dense", "categorical");
        assertThat(scored.columns()).containsExactly("shop", "city", "price", "logit", "probability");
        assertThat(scored.selectExpr("int(substring(shop, 6)) % 3 = 0 AS liked", "probability")
                        .groupBy("liked")
                        .avg("probability")
                        .collectAsList())
                .hasSize(2)
                .allSatisfy(row -> {
                    if (row.getBoolean(0)) {
                        assertThat(row.getDouble(1)).isGreaterThan(0.8);
                    } else {
                        assertThat(row.getDouble(1)).isLessThan(0.2);
                    }
                });
    }
}
