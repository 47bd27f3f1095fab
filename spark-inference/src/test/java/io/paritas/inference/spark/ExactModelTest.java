/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Bundle;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.parity.ParityModels;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model of the other tests does what they compare with. */
class ExactModelTest {
    private static final int FEATURES = 6;
    private static final int OUTPUTS = 4;
    private static final Map<String, Double> ACCURACY = Map.of("available", 1.0, "degraded.1-lost", 0.75);
    private static final ExactModel MODEL = ExactModel.of(FEATURES, OUTPUTS, 1);

    @TempDir
    Path folder;

    @Test
    void predictsWhatIsKnownWithoutIt() {
        ModelFile file = ModelFile.read(MODEL.write(folder));
        Random random = new Random(2);
        for (int i = 0; i < 100; i++) {
            float[] row = row(random);

            assertThat(answer(file, row)).isEqualTo(MODEL.predict(row));
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2", "3, 1", "4, 1", "4, 2", "5, 3"})
    void reconstructsEverySetOfLostPredictionsExactly(int k, int r) {
        ParityModels parity = read(MODEL.parity(k, r, ACCURACY));
        List<float[]> rows = rows(k);
        for (int lost = 1; lost < 1 << k; lost++) {
            if (Integer.bitCount(lost) <= r) {
                float[][] predictions = predictions(rows, lost);
                BitSet reconstructed = parity.decoder().decode(predictions, answers(parity, rows));

                assertThat(reconstructed.toLongArray()).containsExactly(lost);
                assertThat(predictions).isDeepEqualTo(predictions(rows, 0));
            }
        }
    }

    @Test
    void aWrongParityModelShowsWhatIsReconstructed() {
        ParityModels wrong = read(MODEL.wrongParity(3, 1, ACCURACY));
        List<float[]> rows = rows(3);
        float[][] predictions = predictions(rows, 0b010);
        wrong.decoder().decode(predictions, answers(wrong, rows));

        float[] right = MODEL.predict(rows.get(1));
        assertThat(predictions[0]).isEqualTo(MODEL.predict(rows.get(0)));
        for (int i = 0; i < OUTPUTS; i++) {
            assertThat(predictions[1][i]).isEqualTo(right[i] + ExactModel.OFFSET);
        }
    }

    @Test
    void itsBundleIsForItAndSaysTheAccuraciesThatItWasGiven() {
        Bundle bundle = read(MODEL.parity(2, 1, ACCURACY)).bundle();

        assertThat(bundle.requireFor(MODEL.file()).accuracy()).isEqualTo(ACCURACY);
        assertThat(MODEL.wrongParity(2, 1, ACCURACY)
                        .requireFor(MODEL.file())
                        .model("parity-0")
                        .sha256())
                .isNotEqualTo(MODEL.file().sha256());
    }

    private ParityModels read(Bundle bundle) {
        return ParityModels.read(bundle.write(folder));
    }

    private static List<float[]> rows(int count) {
        Random random = new Random(3);
        return IntStream.range(0, count).mapToObj(i -> row(random)).toList();
    }

    private static float[] row(Random random) {
        float[] row = new float[FEATURES];
        for (int i = 0; i < FEATURES; i++) {
            row[i] = random.nextInt(256);
        }
        return row;
    }

    /** @param lost a bit for each row without a prediction */
    private static float[][] predictions(List<float[]> rows, int lost) {
        return IntStream.range(0, rows.size())
                .mapToObj(i -> (lost >> i & 1) == 1 ? null : MODEL.predict(rows.get(i)))
                .toArray(float[][]::new);
    }

    private static float[][] answers(ParityModels parity, List<float[]> rows) {
        return IntStream.range(0, parity.plan().code().r())
                .mapToObj(i -> answer(parity.model(i), parity.encoder().encode(rows, i)))
                .toArray(float[][]::new);
    }

    private static float[] answer(ModelFile file, float[] row) {
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            return model.predict(row);
        }
    }
}
