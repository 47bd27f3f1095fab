/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;

/**
 * An estimate of what a product with a matrix over GF(2<sup>8</sup>) costs when it is computed by Horner's rule over the
 * bits of the coefficients: multiplications of a whole region by x, and xors of two regions. What is fewer is faster.
 *
 * @param timesX the sum of the rows' degrees
 * @param xors the xors that are left when sums that several bits or rows have in common are computed once (Paar's greedy
 *     elimination of pairs: C. Paar, <i>Optimized arithmetic for Reed-Solomon encoders</i>, ISIT 1997)
 */
record ProgramCost(int timesX, int xors) implements Comparable<ProgramCost> {
    private static final int MAX_SUMS = Long.SIZE;

    /** The cost of the product with the matrix that has these rows. */
    static ProgramCost of(int[][] rows) {
        int sums = 0;
        int timesX = 0;
        int combining = 0;
        long[] terms = new long[rows[0].length]; // which sums an input is a term of
        for (int[] row : rows) {
            int bits = Integer.SIZE
                    - Integer.numberOfLeadingZeros(Arrays.stream(row).reduce(0, (a, b) -> a | b));
            for (int bit = 0; bit < bits; bit++) {
                for (int j = 0; j < row.length; j++) {
                    terms[j] |= (long) (row[j] >> bit & 1) << (sums + bit);
                }
            }
            sums += bits;
            timesX += Math.max(0, bits - 1);
            combining += Integer.bitCount(Arrays.stream(row).reduce(0, (a, b) -> a | b)) - (bits > 0 ? 1 : 0);
        }
        if (sums > MAX_SUMS) {
            throw new IllegalArgumentException("an estimate takes at most " + MAX_SUMS + " sums, got " + sums);
        }
        return new ProgramCost(timesX, combining + eliminate(terms));
    }

    /** How many xors make all the sums, if the pair that most of the sums have is computed first, and so on. */
    private static int eliminate(long[] inputs) {
        long[] terms = Arrays.copyOf(inputs, 8 * inputs.length + MAX_SUMS);
        long nonEmpty = Arrays.stream(inputs).reduce(0, (a, b) -> a | b);
        int xors = Arrays.stream(inputs).mapToInt(Long::bitCount).sum() - Long.bitCount(nonEmpty);
        for (int count = inputs.length; count < terms.length; count++) {
            int best = 1;
            int first = 0;
            int second = 0;
            for (int i = 0; i < count; i++) {
                for (int j = Long.bitCount(terms[i]) > best ? i + 1 : count; j < count; j++) {
                    int common = Long.bitCount(terms[i] & terms[j]);
                    if (common > best) {
                        best = common;
                        first = i;
                        second = j;
                    }
                }
            }
            if (best == 1) {
                break;
            }
            terms[count] = terms[first] & terms[second];
            terms[first] ^= terms[count];
            terms[second] ^= terms[count];
            xors -= best - 1;
        }
        return xors;
    }

    /** Fewer multiplications first, then fewer xors: one multiplication takes three instructions, an xor one or less. */
    @Override
    public int compareTo(ProgramCost other) {
        return timesX != other.timesX ? Integer.compare(timesX, other.timesX) : Integer.compare(xors, other.xors);
    }

    @Override
    public String toString() {
        return timesX + " times x, " + xors + " xors";
    }
}
