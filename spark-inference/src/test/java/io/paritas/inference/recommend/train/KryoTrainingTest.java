/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Evaluation;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.spark.KryoSession;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Parameter servers and evaluation do not depend on Spark's serialiser. */
class KryoTrainingTest {
    private static final Tables TABLES = Tables.of(50);

    @RegisterExtension
    static final KryoSession KRYO = new KryoSession();

    @Test
    void aModelIsTrainedAndEvaluated() throws InterruptedException {
        DlrmShape shape = new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));
        Dataset<Row> samples = new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(KRYO.spark(), 0, 100, 1);
        try (Training training = RecommendationTrainer.of(shape)
                .servers(2)
                .redundancy(Redundancy.replicated())
                .options(HostOptions.DEFAULT.withSpares(0))
                .batch(10)
                .train(samples)) {
            Evaluation onServers = training.evaluate(samples);
            assertThat(onServers.samples()).isEqualTo(100);
            assertThat(Evaluation.of(training.model().predict(samples)).logLoss())
                    .isEqualTo(onServers.logLoss());
        }
    }
}
