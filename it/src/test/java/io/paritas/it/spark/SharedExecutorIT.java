/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingEvent;
import io.paritas.inference.recommend.train.TrainingListener;
import io.paritas.inference.recommend.train.TrainingProgress;
import io.paritas.it.LongTest;
import io.paritas.spark.ecrm.table.Optimizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers and a worker share executors: both are lost at once, again and again, at other moments of an iteration. */
@LongTest
class SharedExecutorIT {
    private static final Tables TABLES = Tables.of(900, 300);
    private static final DlrmShape SHAPE =
            new DlrmShape(4, List.of(16, 8), TABLES, 8, Interaction.CONCATENATION, List.of(16));
    private static final Optimizer ROWS = new Optimizer.Adagrad(0.2f, 1e-8f);
    private static final Optimizer NETWORK = new Optimizer.Adam(0.005f, 0.9f, 0.999f, 1e-8f);
    private static final int BATCH = 32;
    private static final int SAMPLES = 200 * BATCH;
    private static final int ROUNDS = 10;
    private static final GeneratedClicks CLICKS = new GeneratedClicks(TABLES, 4, 6, 1.05, 3);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters(new StandaloneCluster.Size(3, 2, 512));

    /** The same as without servers, bit for bit. */
    @Test
    void theLossOfAWorkerAndAServerChangesNothing() throws Exception {
        SparkSession session = SPARK.session();
        Dataset<Row> samples = CLICKS.samples(session, 0, SAMPLES, 1);
        LocalDlrmTraining local = LocalDlrmTraining.train(SHAPE, samples, BATCH, 9, ROWS, NETWORK);
        List<String> started = new ArrayList<>();
        session.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                synchronized (started) {
                    started.add(start.taskInfo().executorId());
                }
            }
        });
        for (int round = 0; round < ROUNDS; round++) {
            int after = 20 + 150 * round / ROUNDS;
            List<String> said = new ArrayList<>();
            TrainingListener listener = new TrainingListener() {
                boolean killed;

                @Override
                public void progress(TrainingProgress progress) {
                    if (!killed && progress.samples() >= (long) after * BATCH) {
                        killed = true;
                        String victim;
                        synchronized (started) {
                            victim = started.get(started.size() - 1);
                        }
                        said.add("killed " + victim + ", servers on "
                                + progress.servers().executors());
                        SPARK.executor(victim).kill();
                    }
                }

                @Override
                public void event(TrainingEvent event) {
                    said.add(event.text());
                }
            };
            try (Training training = RecommendationTrainer.of(SHAPE)
                    .rowOptimizer(ROWS)
                    .networkOptimizer(NETWORK)
                    .batch(BATCH)
                    .seed(9)
                    .interval(Duration.ofMillis(50))
                    .listener(listener)
                    .train(samples)) {
                assertThat(training.model().network())
                        .as("round %d: %s", round, said)
                        .isEqualTo(local.network());
                assertThat(training.metrics().servers().replaced()).isEqualTo(1);
            }
        }
    }
}
