/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.recommend.LocalSpark;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GeneratedClicksTest {
    @Test
    void samplesDoNotDependOnPartitions() {
        GeneratedClicks clicks = GeneratedClicks.likeCriteo(Tables.of(2600), 3);
        String one =
                clicks.samples(LocalSpark.session(), 10, 20, 1).collectAsList().toString();
        assertThat(clicks.samples(LocalSpark.session(), 10, 20, 3).collectAsList())
                .hasToString(one);
        assertThat(clicks.samples(LocalSpark.session(), 15, 20, 1).first())
                .isEqualTo(clicks.samples(LocalSpark.session(), 10, 20, 1)
                        .collectAsList()
                        .get(5));
        assertThat(GeneratedClicks.likeCriteo(Tables.of(2600), 4)
                        .samples(LocalSpark.session(), 10, 20, 1)
                        .collectAsList()
                        .toString())
                .isNotEqualTo(one);
    }

    @Test
    void everyFeatureHasAPartOfItsTable() {
        Tables tables = Tables.of(7, 100);
        GeneratedClicks clicks = new GeneratedClicks(tables, 1, 5, 0.5, 1);
        long[] least = new long[] {7, 107, 7, 107, 7};
        long[] most = new long[5];
        for (int number = 0; number < 20_000; number++) {
            long[] ids = clicks.sample(number).categorical();
            for (int feature = 0; feature < 5; feature++) {
                least[feature] = Math.min(least[feature], ids[feature]);
                most[feature] = Math.max(most[feature], ids[feature]);
            }
        }
        assertThat(least).containsExactly(0, 7, 3, 57, 5);
        assertThat(most).containsExactly(2, 56, 4, 106, 6);
    }

    @Test
    void fewRowsAreInMostSamples() {
        GeneratedClicks clicks = new GeneratedClicks(Tables.of(100_000), 1, 1, 1.05, 1);
        long[] counts = new long[100_000];
        for (int number = 0; number < 100_000; number++) {
            counts[(int) clicks.sample(number).categorical()[0]]++;
        }
        PowerLaw law = new PowerLaw(100_000, 1.05);
        for (int below : new int[] {1, 10, 1000}) {
            assertThat(LongStream.of(counts).limit(below).sum() / 1e5)
                    .as("the first %d", below)
                    .isCloseTo(law.below(below), within(0.01));
        }
        assertThat(law.below(1000)).isGreaterThan(0.65);
    }

    /** Labels follow the hidden probabilities: in each tenth of these, the share of clicks is their mean. */
    @Test
    void labelsFollowTheHiddenModel() {
        GeneratedClicks clicks = GeneratedClicks.likeCriteo(Tables.of(10_000), 5);
        double[] foretold = new double[10];
        double[] clicked = new double[10];
        int[] samples = new int[10];
        for (int number = 0; number < 20_000; number++) {
            Sample sample = clicks.sample(number);
            double probability = clicks.probability(sample.dense(), sample.categorical());
            int tenth = (int) (10 * probability);
            foretold[tenth] += probability;
            clicked[tenth] += sample.label();
            samples[tenth]++;
        }
        for (int tenth = 0; tenth < 10; tenth++) {
            assertThat(samples[tenth]).as("samples in tenth %d", tenth).isGreaterThan(200);
            assertThat(clicked[tenth] / samples[tenth])
                    .as("tenth %d", tenth)
                    .isCloseTo(foretold[tenth] / samples[tenth], within(4 * 0.5 / Math.sqrt(samples[tenth])));
        }
    }

    @Test
    void whatCannotBeGeneratedIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GeneratedClicks.likeCriteo(Tables.of(25), 1))
                .withMessage(
                        "a table must have at least a row for each of its features, got 26 features for the tables [25]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GeneratedClicks(Tables.of(25), 0, 1, 1, 1))
                .withMessage("a sample must have at least 1 dense number and 1 categorical value, got 0 and 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GeneratedClicks(Tables.of(25), 1, 1, -1, 1))
                .withMessage("a skew must have at least 1 rank and an exponent in [0, 10), got 1 and -1.0");
    }
}
