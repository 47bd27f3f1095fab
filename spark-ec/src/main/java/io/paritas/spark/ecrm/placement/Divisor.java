/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

/**
 * Divides numbers from 0 on by the same divisor. Those of 31 bits are multiplied by its reciprocal, which takes a
 * fraction of the time of a division and is exact: with s = 31 + ceil(log2 d), ceil(2^s / d) * d exceeds 2^s by less
 * than d, so that the error of a quotient stays below 1/d.
 */
final class Divisor {
    private final int divisor;
    private final int shift;
    private final long reciprocal;

    /** @param divisor at least 1 */
    Divisor(int divisor) {
        this.divisor = divisor;
        this.shift = Integer.SIZE - 1 + (Integer.SIZE - Integer.numberOfLeadingZeros(divisor - 1));
        this.reciprocal = ((1L << shift) + divisor - 1) / divisor;
    }

    long quotient(long number) {
        return number <= Integer.MAX_VALUE ? (number * reciprocal) >>> shift : number / divisor;
    }

    int remainder(long number) {
        return (int) (number - quotient(number) * divisor);
    }
}
