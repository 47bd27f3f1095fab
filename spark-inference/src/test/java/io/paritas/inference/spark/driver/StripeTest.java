/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goes through everything that can be known of a stripe: each segment is lost, or has its data and its first parities. */
class StripeTest {

    private static Stripe stripe(int k, int r, int[] levels) {
        Stripe stripe = Stripe.of(new Layout(k, r, k + r, Placement.ROTATED, 1), 0);
        for (int place = 0; place < levels.length; place++) {
            if (levels[place] > 0) {
                stripe.segment(place).computed();
                stripe.segment(place).parity(levels[place] - 1);
            }
        }
        return stripe;
    }

    private static void everyStripe(int k, int r, Consumer<int[]> check) {
        int[] levels = new int[k + r];
        int all = (int) Math.pow(r + 2, k + r);
        for (int number = 0; number < all; number++) {
            int rest = number;
            for (int place = 0; place < levels.length; place++) {
                levels[place] = rest % (r + 2);
                rest /= r + 2;
            }
            check.accept(levels);
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,2", "4,1", "4,2"})
    void whatIsDecodableHasEnoughInEveryGroup(int k, int r) {
        everyStripe(k, r, levels -> {
            Stripe stripe = stripe(k, r, levels);
            assertThat(stripe.lost()).isEqualTo((int)
                    Arrays.stream(levels).filter(level -> level == 0).count());
            if (stripe.decodable()) {
                assertThat(Groups.decodable(k, r, levels, stripe.lost()))
                        .as("levels %s", Arrays.toString(levels))
                        .isTrue();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,2", "4,1", "4,2"})
    void segmentsThatDoWhatTheyAreAskedMakeItDecodable(int k, int r) {
        everyStripe(k, r, levels -> {
            Stripe stripe = stripe(k, r, levels);
            int lost = stripe.lost();
            for (int place = 0; place < k + r; place++) {
                int next = stripe.nextParity(place);
                while (next >= 0) {
                    assertThat(next)
                            .isEqualTo(stripe.segment(place).level() - 1)
                            .isLessThan(r);
                    stripe.segment(place).parity(next + 1);
                    next = stripe.nextParity(place);
                }
            }
            assertThat(stripe.decodable())
                    .as("levels %s", Arrays.toString(levels))
                    .isEqualTo(lost > 0 && lost <= r);
        });
    }

    @ParameterizedTest
    @CsvSource({"2,1", "3,2"})
    void nobodyIsAskedWhenAllHaveWhatTheyNeed(int k, int r) {
        everyStripe(k, r, levels -> {
            Stripe stripe = stripe(k, r, levels);
            for (int place = 0; place < k + r; place++) {
                stripe.segment(place).succeeded(place);
            }
            for (int place = 0; place < k + r; place++) {
                assertThat(stripe.nextParity(place)).isEqualTo(-1);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2,1", "3,2"})
    void anUncodedStripeIsNeverDecodableAndNeedsNoParity(int k, int r) {
        Stripe stripe = Stripe.of(new Layout(k, r, k + r, Placement.ROTATED, 0), 0);
        for (int place = 1; place < k + r; place++) {
            stripe.segment(place).computed();
            assertThat(stripe.nextParity(place)).isEqualTo(-1);
            stripe.segment(place).parity(r);
        }
        assertThat(stripe.decodable()).isFalse();
    }
}
