/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ecrm.data.GeneratedClicks;
import io.paritas.spark.ecrm.data.Tables;
import io.paritas.spark.ecrm.model.DlrmShape;
import io.paritas.spark.ecrm.model.InitialRows;
import io.paritas.spark.ecrm.model.Interaction;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** What is refused, and before anything is started. */
class RecommendationTrainerTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final Tables TABLES = Tables.of(100);
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));

    private final RecommendationTrainer trainer =
            RecommendationTrainer.of(SHAPE).workers(2).waitFor(1);

    private static Dataset<Row> samples(int partitions) {
        return new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(SPARK, 0, 10, partitions);
    }

    @Test
    void aClusterWithTooFewSlotsIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> trainer.train(samples(2)))
                .withMessage(
                        "Training with 3 servers, 1 spares and 2 workers takes 6 slots, and after 1 ms the application has"
                                + " 2: give it more executors or cores, or train with fewer");
    }

    @Test
    void aWorkerWithoutAPartitionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.train(samples(1)))
                .withMessage("Each worker trains on a partition or more; got 1 partitions for 2 workers: use"
                        + " repartition(2), or fewer workers");
    }

    @Test
    void samplesWithoutAColumnAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.train(samples(2).drop("label")))
                .withMessageContaining("label is missing here");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.evaluation(samples(2).drop("dense"), 1))
                .withMessageContaining("dense is missing here");
    }

    @Test
    void settingsThatDoNotFitAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> trainer.servers(2).redundancy(Redundancy.coded(2)).train(samples(2)))
                .withMessageContaining("use more servers or a smaller k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.epochs(0))
                .withMessage("epochs must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.initialRows(new InitialRows(1, 3, 1)))
                .withMessage("Rows of this model have 4 numbers; got initial ones of 3");
    }
}
