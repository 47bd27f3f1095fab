/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small models in one process, with plain gradient descent. */
class LocalTrainingTest {
    private static final Tables TABLES = Tables.equal(4, 300);
    private static final int BATCH = 128;
    private static final int TRAINED = 30_000;

    private record Trained(float[] network, float[] rows, List<Float> losses) {}

    private static Trained train(Dlrm dlrm, GeneratedClicks clicks, long samples) {
        DlrmShape shape = dlrm.shape();
        int dimension = shape.dimension();
        float[] network = InitialNetwork.of(shape, 1);
        float[] rows = new float[(int) shape.tables().rows() * dimension];
        InitialRows initial = InitialRows.of(shape, 1);
        for (int id = 0; id < shape.tables().rows(); id++) {
            initial.fill(id, rows, id * dimension);
        }
        Trained trained = new Trained(network, rows, new ArrayList<>());
        for (long from = 0; from < samples; from += BATCH) {
            MiniBatch batch = Batches.of(clicks, from, from + BATCH);
            Gradients gradients = dlrm.gradients(batch, network, pulled(batch, rows, dimension));
            for (int i = 0; i < network.length; i++) {
                network[i] -= 0.2f * gradients.network()[i];
            }
            for (int i = 0; i < gradients.rows().length; i++) {
                int at = (int) batch.ids()[i / dimension] * dimension + i % dimension;
                rows[at] -= 20f * gradients.rows()[i];
            }
            trained.losses().add(gradients.loss());
        }
        return trained;
    }

    private static float[] pulled(MiniBatch batch, float[] rows, int dimension) {
        float[] pulled = new float[batch.ids().length * dimension];
        for (int i = 0; i < batch.ids().length; i++) {
            System.arraycopy(rows, (int) batch.ids()[i] * dimension, pulled, i * dimension, dimension);
        }
        return pulled;
    }

    private static Evaluation evaluate(Dlrm dlrm, GeneratedClicks clicks, Trained trained) {
        Evaluation evaluation = new Evaluation();
        for (long from = TRAINED; from < TRAINED + 10_000; from += 1000) {
            MiniBatch batch = Batches.of(clicks, from, from + 1000);
            float[] rows = pulled(batch, trained.rows(), dlrm.shape().dimension());
            evaluation.add(dlrm.logits(batch, trained.network(), rows), batch.labels());
        }
        return evaluation;
    }

    @ParameterizedTest
    @EnumSource(Interaction.class)
    void aModelLearnsWhatThereIsToLearn(Interaction interaction) {
        GeneratedClicks clicks = new GeneratedClicks(TABLES, 6, 8, 1.05, 2);
        DlrmShape shape = new DlrmShape(6, List.of(32, 8), TABLES, 8, interaction, List.of(32));
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            Evaluation untrained = evaluate(dlrm, clicks, train(dlrm, clicks, 0));
            Evaluation early = evaluate(dlrm, clicks, train(dlrm, clicks, TRAINED / 10));
            Trained trained = train(dlrm, clicks, TRAINED);
            Evaluation late = evaluate(dlrm, clicks, trained);
            Evaluation truth = Batches.truth(clicks, TRAINED, TRAINED + 10_000);
            assertThat(untrained.auc()).isBetween(0.4, 0.6);
            assertThat(early.auc()).isGreaterThan(0.55);
            assertThat(late.auc()).isBetween(early.auc() + 0.02, truth.auc() + 0.01);
            assertThat(late.logLoss()).isLessThan(early.logLoss());
            assertThat(late.normalizedEntropy()).isLessThan(0.95);
            assertThat(late.calibration()).isBetween(0.8, 1.25);
            assertThat(train(dlrm, clicks, TRAINED / 10).losses())
                    .as("the loss curve, bit for bit")
                    .isEqualTo(trained.losses().subList(0, (TRAINED / 10 + BATCH - 1) / BATCH));
        }
    }
}
