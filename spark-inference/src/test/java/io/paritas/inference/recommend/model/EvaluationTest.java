/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.recommend.model.Evaluation.Bin;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EvaluationTest {
    private static Evaluation of(float[] logits, float[] labels) {
        Evaluation evaluation = new Evaluation();
        evaluation.add(logits, labels);
        return evaluation;
    }

    @Test
    void theAreaIsThatOfAllPairs() {
        Random random = new Random(1);
        for (int trial = 0; trial < 200; trial++) {
            int samples = 2 + random.nextInt(40);
            float[] logits = new float[samples];
            float[] labels = new float[samples];
            for (int i = 0; i < samples; i++) {
                logits[i] = (random.nextInt(9) - 4) * (random.nextBoolean() ? 1 : -0f);
                labels[i] = i < 2 ? i : random.nextInt(2);
            }
            assertThat(of(logits, labels).auc()).as("trial %d", trial).isEqualTo(ofAllPairs(logits, labels));
        }
    }

    private static double ofAllPairs(float[] logits, float[] labels) {
        double pairs = 0;
        double won = 0;
        for (int i = 0; i < logits.length; i++) {
            for (int j = 0; j < logits.length; j++) {
                if (labels[i] == 1 && labels[j] == 0) {
                    pairs++;
                    won += logits[i] > logits[j] ? 1 : logits[i] == logits[j] ? 0.5 : 0;
                }
            }
        }
        return won / pairs;
    }

    @Test
    void figuresAreThoseOfTheSamplesSoFar() {
        Evaluation evaluation = of(new float[] {1, 2, -1}, new float[] {1, 0, 0});
        Evaluation.Figures figures = evaluation.figures();

        assertThat(figures)
                .isEqualTo(new Evaluation.Figures(
                        3,
                        evaluation.auc(),
                        evaluation.logLoss(),
                        evaluation.normalizedEntropy(),
                        evaluation.calibration()))
                .hasToString(evaluation.toString());
        evaluation.add(5, 1);
        assertThat(evaluation.figures().samples()).isEqualTo(4);
    }

    @Test
    void knownFigures() {
        Evaluation evaluation = of(new float[] {0, 0, (float) Math.log(3), -1000}, new float[] {1, 0, 1, 0});
        assertThat(evaluation.samples()).isEqualTo(4);
        assertThat(evaluation.auc()).isEqualTo(3.5 / 4);
        double loss = (2 * Math.log(2) + Math.log(4 / 3.0)) / 4;
        assertThat(evaluation.logLoss()).isCloseTo(loss, within(1e-7));
        assertThat(evaluation.normalizedEntropy()).isCloseTo(loss / Math.log(2), within(1e-7));
        assertThat(evaluation.calibration()).isCloseTo((0.5 + 0.5 + 0.75) / 2, within(1e-7));
        assertThat(evaluation).hasToString("4 samples: AUC 0.8750, log loss 0.4185, calibration 0.875");
        assertThat(of(new float[] {1000}, new float[] {0}).logLoss()).isEqualTo(1000);
    }

    @Test
    void binsAreEquallyFull() {
        float[] logits = new float[1000];
        float[] labels = new float[1000];
        Random random = new Random(2);
        for (int i = 0; i < 1000; i++) {
            logits[i] = (float) random.nextGaussian();
            labels[i] = random.nextDouble() < 1 / (1 + Math.exp(-logits[i])) ? 1 : 0;
        }
        List<Bin> bins = of(logits, labels).bins(10);
        assertThat(bins).extracting(Bin::samples).containsOnly(100L).hasSize(10);
        assertThat(bins).extracting(Bin::predicted).isSorted();
        assertThat(bins).allSatisfy(bin -> assertThat(bin.observed()).isCloseTo(bin.predicted(), within(0.16)));
        assertThat(of(new float[] {1, 2}, new float[] {0, 1}).bins(10))
                .containsExactly(new Bin(1, 1 / (1 + Math.exp(-1)), 0), new Bin(1, 1 / (1 + Math.exp(-2)), 1));
    }

    @Test
    void figuresDoNotDependOnPartsAndOrder() throws Exception {
        Random random = new Random(3);
        Evaluation all = new Evaluation();
        List<Evaluation> parts = List.of(new Evaluation(), new Evaluation(), new Evaluation());
        for (int i = 0; i < 3000; i++) {
            float logit = random.nextInt(1000) / 500f - 1;
            float label = random.nextInt(3) == 0 ? 1 : 0;
            all.add(logit, label);
            parts.get(random.nextInt(3)).add(logit, label);
        }
        assertThat(parts.get(1).auc()).as("asked before it is merged").isBetween(0.4, 0.6);
        Evaluation merged =
                new Evaluation().merge(copy(parts.get(2))).merge(parts.get(0)).merge(parts.get(1));
        assertThat(merged.samples()).isEqualTo(3000);
        assertThat(merged.auc()).isEqualTo(all.auc());
        assertThat(merged.logLoss()).isEqualTo(all.logLoss());
        assertThat(merged.calibration()).isEqualTo(all.calibration());
        assertThat(merged.bins(7)).isEqualTo(all.bins(7));
    }

    private static Evaluation copy(Evaluation evaluation) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes(evaluation)))) {
            return (Evaluation) in.readObject();
        }
    }

    private static byte[] bytes(Evaluation evaluation) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(evaluation);
        }
        return bytes.toByteArray();
    }

    /** Of all samples: the driver gets all parts at once. */
    @Test
    void aPartTakesFourBytesOfASample() throws Exception {
        Evaluation evaluation = new Evaluation();
        for (int i = 0; i < 200_000; i++) {
            evaluation.add(i, i % 2);
            if (i % 50_000 == 1) {
                assertThat((long) bytes(evaluation).length)
                        .isLessThan(evaluation.samples() * Evaluation.BYTES_OF_SAMPLE + 500);
            }
        }
    }

    @Test
    void withoutOneOfTheLabelsThereIsNoArea() {
        assertThat(new Evaluation().auc()).isNaN();
        assertThat(new Evaluation().logLoss()).isNaN();
        assertThat(new Evaluation().bins(3)).isEmpty();
        assertThat(of(new float[] {1, 2}, new float[] {1, 1}).auc()).isNaN();
    }

    @Test
    void whatIsNoPredictionIsRefused() {
        Evaluation evaluation = new Evaluation();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluation.add(1, 0.5f))
                .withMessage("a label must be 0 or 1, got 0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluation.add(Float.NaN, 1))
                .withMessage(
                        "a logit must be a number, got NaN: the model has diverged, train it with a lower learning rate");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluation.bins(0))
                .withMessage("count must be at least 1, got 0");
    }
}
