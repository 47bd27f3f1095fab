/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goes through everything that can be known of a stripe: each segment is lost, or has its data and its first parities. */
class StripeTest {

    private static Stripe stripe(int k, int r, int[] levels) {
        Stripe stripe = Stripe.of(new Layout(k, r, k + r, Placement.ROTATED, 1), 0);
        for (int place = 0; place < levels.length; place++) {
            if (levels[place] > 0) {
                stripe.segment(place).computed(10 + place);
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
    void itIsDecodableOnceNothingIsMissing(int k, int r) {
        everyStripe(k, r, levels -> {
            Stripe stripe = stripe(k, r, levels);
            int lost = stripe.lost();
            int wanted = Math.min(r, lost);
            while (!stripe.missing(wanted).isEmpty()) {
                for (int place : stripe.missing(wanted)) {
                    assertThat(stripe.nextParity(place))
                            .isEqualTo(stripe.segment(place).level() - 1)
                            .isBetween(0, wanted - 1);
                    stripe.segment(place).parity(stripe.nextParity(place) + 1);
                }
            }
            assertThat(stripe.decodable())
                    .as("levels %s", Arrays.toString(levels))
                    .isEqualTo(lost > 0 && lost <= r);
        });
    }

    /** Segments 0 and 1 have data, 2 and 3 a parity each; each parity is as good as the other. */
    @Test
    void anyParitiesOfTheirOwnDo() {
        Stripe stripe = Stripe.of(new Layout(2, 2, 4, Placement.SEPARATE, 1), 0);
        assertThat(stripe.absent()).as("these have data").containsExactly(0, 1);
        assertThat(stripe.missing(1)).as("none of them has come").containsExactly(2);
        stripe.segment(2).computed(12);
        stripe.segment(3).made();
        assertThat(stripe.missing(1)).containsExactly(2);
        assertThat(stripe.missing(2)).containsExactly(2, 3);
        assertThat(stripe.nextParity(3)).isEqualTo(1);
        stripe.segment(3).parity(2);
        assertThat(stripe.missing(1)).isEmpty();
        assertThat(stripe.missing(2)).containsExactly(2);
    }

    @Test
    void segmentsAreOutUntilTheyDeliverAndGoneWithoutBlocks() {
        Stripe stripe = Stripe.of(new Layout(2, 1, 3, Placement.ROTATED, 1), 0);
        stripe.segment(0).start(1);
        stripe.segment(1).start(1);
        assertThat(stripe.out()).isEqualTo(2);
        assertThat(stripe.unstarted()).isEqualTo(1);
        stripe.segment(0).computed(10);
        assertThat(stripe.out()).isEqualTo(1);
        assertThat(stripe.gone()).isZero();
        stripe.segment(0).lost();
        assertThat(stripe.out()).isEqualTo(1);
        assertThat(stripe.gone()).isEqualTo(1);
    }

    @Test
    void segmentsAreAbsentUntilTheyStartOrOthersMakeTheirData() {
        Stripe stripe = Stripe.of(new Layout(2, 1, 3, Placement.ROTATED, 1), 0);
        assertThat(stripe.absent()).containsExactly(0, 1, 2);
        stripe.segment(0).start(1);
        assertThat(stripe.absent()).containsExactly(1, 2);
        assertThat(stripe.nextParity(2)).as("data").isEqualTo(-1);
        stripe.segment(2).made();
        assertThat(stripe.absent()).containsExactly(1);
        assertThat(stripe.missing(1)).containsExactly(2);
        assertThat(stripe.segment(2).computed(12))
                .as("that of its own task is timed")
                .isFalse();
    }

    @Test
    void nobodyComesTwiceAtOnce() {
        Stripe stripe = Stripe.of(new Layout(2, 1, 3, Placement.ROTATED, 1), 0);
        assertThat(stripe.wake(100, 10)).isTrue();
        assertThat(stripe.wake(100, 11)).isFalse();
        assertThat(stripe.wake(200, 12)).isFalse();
        assertThat(stripe.wake(50, 13)).isTrue();
        assertThat(stripe.wake(200, 50)).as("the one at 50 is there").isTrue();
    }

    @ParameterizedTest
    @CsvSource({"2,1", "3,2"})
    void anUncodedStripeIsNeverDecodable(int k, int r) {
        Stripe stripe = Stripe.of(new Layout(k, r, k + r, Placement.ROTATED, 0), 0);
        for (int place = 1; place < k + r; place++) {
            stripe.segment(place).computed(10 + place);
            stripe.segment(place).parity(r);
        }
        assertThat(stripe.coded()).isFalse();
        assertThat(stripe.decodable()).isFalse();
    }
}
