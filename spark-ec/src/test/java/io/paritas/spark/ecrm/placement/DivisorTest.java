/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DivisorTest {
    private static void check(int divisor, long number) {
        Divisor by = new Divisor(divisor);
        assertThat(by.quotient(number)).as(number + " / " + divisor).isEqualTo(number / divisor);
        assertThat(by.remainder(number)).as(number + " mod " + divisor).isEqualTo((int) (number % divisor));
    }

    /** The reciprocal is least exact just below a multiple of the divisor, and for the greatest numbers. */
    @Test
    void quotientsAreExact() {
        Random random = new Random(1);
        for (int i = 0; i < 3000; i++) {
            int divisor = i < 2000 ? 1 + i : 1 + random.nextInt(Integer.MAX_VALUE - 1);
            long greatest = Integer.MAX_VALUE / divisor * (long) divisor;
            long multiple = random.nextInt(Integer.MAX_VALUE / divisor) * (long) divisor;
            for (long number : new long[] {
                0, divisor - 1, divisor, multiple, multiple + divisor - 1, greatest, greatest - 1, Integer.MAX_VALUE
            }) {
                check(divisor, number);
            }
        }
        check(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    @Test
    void numbersOfMoreThan31BitsAreDivided() {
        check(3, Integer.MAX_VALUE + 1L);
        check(7, 1L << 50);
        check(Integer.MAX_VALUE, Long.MAX_VALUE / 2);
    }
}
