/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PowerLawTest {
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.8, 1, 1.05, 2})
    void ranksHaveTheSharesOfTheirLaw(double exponent) {
        PowerLaw law = new PowerLaw(50, exponent);
        int draws = 100_000;
        int[] counts = new int[50];
        for (int i = 0; i < draws; i++) {
            counts[(int) law.rank((i + 0.5) / draws)]++;
        }
        for (int rank = 0; rank < 50; rank++) {
            assertThat((double) counts[rank])
                    .as("rank %d", rank)
                    .isCloseTo(draws * (law.below(rank + 1L) - law.below(rank)), within(2.0));
        }
        assertThat(law.below(50)).isCloseTo(1, within(1e-12));
        assertThat(law.below(2) - law.below(1))
                .as("the second, compared with Zipf's")
                .isCloseTo(law.below(1) * Math.pow(2, -exponent), within(0.1));
    }

    @Test
    void theEndsAreRanks() {
        for (long size : new long[] {1, 2, 200_000_000}) {
            PowerLaw law = new PowerLaw(size, 1.05);
            assertThat(law.rank(0)).isZero();
            assertThat(law.rank(Math.nextDown(1.0))).isBetween(Math.max(0, size - 2), size - 1);
        }
    }

    @Test
    void whatIsNoSkewIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PowerLaw(0, 1))
                .withMessage("a skew must have at least 1 rank and an exponent in [0, 10), got 0 and 1.0");
        assertThatIllegalArgumentException().isThrownBy(() -> new PowerLaw(1, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> new PowerLaw(1, Double.NaN));
    }
}
