/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

/**
 * The generators: for each code the r×k matrix over GF(2<sup>8</sup>)/0x11d whose product with the data units gives the
 * parity units. Stored parity depends on them, so a generator never changes once it is released.
 */
public final class Generators {
    /** How many data units ISA-L's Vandermonde matrix is safe for, by the number of parity units. */
    private static final int[] VANDERMONDE_MAX_K = {0, 255, 254, 32, 21};

    private Generators() {}

    /**
     * HDFS's codec {@code rs}: a Cauchy matrix, a<sub>ij</sub> = 1 / ((k + i) xor j), which is
     * {@code gf_gen_cauchy1_matrix} of ISA-L and {@code RSUtil.genCauchyMatrix} of Hadoop. Every square submatrix of a
     * Cauchy matrix is regular, so any k of the n units suffice, for all k + r ≤ 256.
     */
    public static Matrix hdfsCauchy(CodeParameters code) {
        GaloisField field = GaloisField.bytes();
        return Matrix.of(field, code.r(), code.k(), (i, j) -> field.inverse((code.k() + i) ^ j));
    }

    /**
     * ISA-L's Vandermonde matrix ({@code gf_gen_rs_matrix}): a<sub>ij</sub> = (2<sup>i</sup>)<sup>j</sup>, the first row
     * all ones.
     *
     * <p>Unlike a Cauchy matrix this one has singular submatrices when it grows, and then some losses of r units can not
     * be repaired. It is safe for r ≤ 2, for r = 3 with k ≤ 32 and for r = 4 with k ≤ 21; larger shapes are refused.
     *
     * @throws IllegalArgumentException if the shape is not one of the safe ones
     */
    public static Matrix isalVandermonde(CodeParameters code) {
        if (code.r() >= VANDERMONDE_MAX_K.length || code.k() > VANDERMONDE_MAX_K[code.r()]) {
            throw new IllegalArgumentException(
                    "ISA-L's Vandermonde matrix repairs every loss of r units only for r <= 2, for r = 3 with k <= 32 and"
                            + " for r = 4 with k <= 21; got " + code + ". Use the Cauchy generator (rs) instead");
        }
        GaloisField field = GaloisField.bytes();
        return Matrix.of(field, code.r(), code.k(), (i, j) -> field.power(i * j));
    }

    /** HDFS's codec {@code xor}: one parity unit, the xor of all data units. */
    public static Matrix xor(int k) {
        return Matrix.of(GaloisField.bytes(), 1, k, (i, j) -> 1);
    }
}
