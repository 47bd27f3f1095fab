/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;

/**
 * GF(2<sup>w</sup>), w = 1..8: the field of a code's symbols. Addition is xor; α = 2 (1 for w = 1) generates the
 * multiplicative group. Immutable and thread-safe.
 *
 * <p>w = 8 with the polynomial 0x11d is the field of HDFS and of ISA-L. The smaller fields have the primitive polynomials
 * of Jerasure; they serve bitmatrices, where a smaller w means fewer xors.
 */
@PublicApi
public final class GaloisField {
    /** Primitive polynomials of degree 1 to 8. */
    private static final int[] POLYNOMIALS = {0x3, 0x7, 0xb, 0x13, 0x25, 0x43, 0x89, 0x11d};

    private static final int MIN_W = 1;
    private static final int MAX_W = 8;

    private static final GaloisField[] FIELDS = new GaloisField[MAX_W + 1];

    static {
        for (int w = MIN_W; w <= MAX_W; w++) {
            FIELDS[w] = new GaloisField(w, POLYNOMIALS[w - MIN_W]);
        }
    }

    private final int w;
    private final int polynomial;
    /** α^i for i in 0..2(size − 1) − 1: twice round the group, so that a sum of two logarithms needs no reduction. */
    private final int[] powers;
    /** The logarithm to the base α; index 0 is unused. */
    private final int[] logarithms;

    private GaloisField(int w, int polynomial) {
        this.w = w;
        this.polynomial = polynomial;
        int order = size() - 1;
        powers = new int[2 * order];
        logarithms = new int[size()];
        int power = 1;
        for (int i = 0; i < order; i++) {
            powers[i] = power;
            powers[i + order] = power;
            logarithms[power] = i;
            power = timesAlpha(power);
        }
    }

    /**
     * The field with 2<sup>w</sup> elements.
     *
     * @throws IllegalArgumentException if w is not in 1..8
     */
    public static GaloisField ofWidth(int w) {
        if (w < MIN_W || w > MAX_W) {
            throw new IllegalArgumentException("a symbol must have " + MIN_W + " to " + MAX_W + " bits, got w = " + w);
        }
        return FIELDS[w];
    }

    /** GF(2<sup>8</sup>)/0x11d, the field of HDFS and ISA-L. */
    public static GaloisField bytes() {
        return FIELDS[MAX_W];
    }

    /** The bits of one symbol. */
    public int w() {
        return w;
    }

    /** The number of elements, 2<sup>w</sup>. */
    public int size() {
        return 1 << w;
    }

    /** The polynomial that reduces products, its leading bit included. */
    public int polynomial() {
        return polynomial;
    }

    /** a · b. */
    public int multiply(int a, int b) {
        return a == 0 || b == 0 ? 0 : powers[logarithms[a] + logarithms[b]];
    }

    /**
     * The element whose product with a is 1.
     *
     * @throws ArithmeticException if a is 0
     */
    public int inverse(int a) {
        if (a == 0) {
            throw new ArithmeticException("0 has no inverse in " + this);
        }
        return powers[size() - 1 - logarithms[a]];
    }

    /** α<sup>e</sup> for e ≥ 0. */
    public int power(int e) {
        return powers[e % (size() - 1)];
    }

    private int timesAlpha(int a) {
        int doubled = a << 1;
        return doubled < size() ? doubled : doubled ^ polynomial;
    }

    @Override
    public String toString() {
        return "GF(2^" + w + ")/0x" + Integer.toHexString(polynomial);
    }
}
