/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LayoutTest {

    @Test
    void segmentsFollowEachOtherInStripes() {
        Layout layout = new Layout(3, 2, 15, Placement.ROTATED, 1);
        assertThat(layout.n()).isEqualTo(5);
        assertThat(layout.stripes()).isEqualTo(3);
        assertThat(IntStream.range(0, 15).map(layout::stripeOf))
                .containsExactly(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2);
        assertThat(IntStream.range(0, 15).map(layout::placeOf))
                .containsExactly(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4);
    }

    @Test
    void codedStripesAreSpreadEvenly() {
        for (int stripes = 1; stripes <= 60; stripes++) {
            for (int percent = 0; percent <= 100; percent++) {
                double share = percent / 100.0;
                Layout layout = new Layout(2, 1, 3 * stripes, Placement.ROTATED, share);
                int coded = 0;
                for (int stripe = 0; stripe < stripes; stripe++) {
                    coded += layout.coded(stripe) ? 1 : 0;
                    assertThat(100 * coded - (stripe + 1) * percent)
                            .as("%d coded of the first %d, share %s", coded, stripe + 1, share)
                            .isBetween(0, 99);
                }
            }
        }
    }

    @Test
    void allOrNoneCanBeCoded() {
        for (int stripe = 0; stripe < 100; stripe++) {
            assertThat(new Layout(2, 1, 300, Placement.ROTATED, 1).coded(stripe))
                    .isTrue();
            assertThat(new Layout(2, 1, 300, Placement.ROTATED, 0).coded(stripe))
                    .isFalse();
        }
    }

    /** As of a query with no more partitions than k. */
    @Test
    void theOnlyStripeIsCodedWhateverTheShare() {
        for (double share : new double[] {Double.MIN_VALUE, 0.01, 0.5, 0.99}) {
            assertThat(new Layout(3, 2, 5, Placement.ROTATED, share).coded(0))
                    .as("share %s", share)
                    .isTrue();
        }
    }

    @Test
    void stripesMustBeWhole() {
        for (int segments : new int[] {0, 4, -3}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Layout(2, 1, segments, Placement.ROTATED, 1))
                    .withMessage("the segments must be a multiple of k + r = 3, got " + segments);
        }
    }

    @Test
    void theShareIsAShare() {
        for (double share : Arrays.asList(-0.1, 1.1, Double.NaN)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Layout(2, 1, 3, Placement.ROTATED, share))
                    .withMessage("the share of coded stripes must be in [0, 1], got " + share);
        }
    }
}
