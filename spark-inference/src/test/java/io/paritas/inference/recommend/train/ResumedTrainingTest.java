/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.table.Redundancy;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ResumedTrainingTest {
    private static final int SAMPLES = 600;
    private static final Tables TABLES = Tables.of(50);

    @TempDir
    private Path folder;

    private RecommendationTrainer trainer() {
        return RecommendationTrainer.of(new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4)))
                .servers(2)
                .redundancy(Redundancy.replicated())
                .options(HostOptions.DEFAULT.withSpares(0))
                .batch(1)
                .epochs(2);
    }

    /** The last checkpoint is one of the second epoch, which has many times as many batches as there are between two. */
    @Test
    @Timeout(240)
    void epochsOfTheCheckpointWereTrainedBefore() throws InterruptedException {
        Dataset<Row> samples = new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(LocalSpark.session(), 0, SAMPLES, 1);
        String checkpoints = folder.toUri().toString();
        trainer()
                .checkpoints(CheckpointPolicy.everyBatches(checkpoints, 50))
                .train(samples)
                .close();

        try (Training training = trainer().resume(checkpoints).train(samples)) {
            assertThat(training.metrics().batches()).isLessThan(SAMPLES);
            assertThat(training.curve().events())
                    .filteredOn(event -> event.kind() == Kind.EPOCH_TRAINED)
                    .hasSize(2)
                    .first()
                    .extracting(TrainingEvent::text)
                    .isEqualTo("epoch 1 of 2 was trained before");
        }
    }
}
