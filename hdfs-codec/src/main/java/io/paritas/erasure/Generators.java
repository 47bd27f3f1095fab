/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;

/**
 * Generators of codes: r×k matrices over GF(2<sup>8</sup>)/0x11d whose product with the data units is the parity units.
 * Stored parity depends on them, so a released generator never changes. Thread-safe.
 */
@PublicApi
public final class Generators {
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
     * <p>Unlike a Cauchy matrix, a large one has singular submatrices, and cannot repair some losses of r units. It is safe
     * for r ≤ 3, whose minors are products and Vandermonde determinants of the distinct 2<sup>j</sup>, and for r = 4 with k ≤ 21.
     *
     * @throws IllegalArgumentException if the shape is none of these
     */
    public static Matrix isalVandermonde(CodeParameters code) {
        if (code.r() > 4 || (code.r() == 4 && code.k() > 21)) {
            throw new IllegalArgumentException(
                    "ISA-L's Vandermonde matrix is for r <= 3, and for r = 4 with k <= 21, where it repairs every loss of r"
                            + " units, got " + code + "; use the Cauchy generator (rs) instead");
        }
        GaloisField field = GaloisField.bytes();
        return Matrix.of(field, code.r(), code.k(), (i, j) -> field.power(i * j));
    }

    /**
     * Paritas's own MDS code, whose product takes the fewest instructions that a search has found. In GF(2<sup>8</sup>) a
     * multiplication by x costs three instructions and a xor one, so the coefficients have the lowest possible degree and
     * many terms in common. The first row is all ones, which makes the first parity unit the xor of the data
     * and the repair of one data unit an xor too. Every square submatrix is regular, so any k of the n units suffice.
     *
     * <p>These are the generators of version 1. They never change; better ones would get another name. There is one
     * for r = 1 and any k, and for (3,2), (4,2), (6,3), (8,2), (8,3), (8,4), (10,2), (10,4), (12,4) and (16,4).
     *
     * @throws IllegalArgumentException if there is none for this shape; {@link #hdfsCauchy} has all shapes
     */
    public static Matrix paritas(CodeParameters code) {
        if (code.r() == 1) {
            return xor(code.k());
        }
        return SearchedGenerators.mds(code)
                .orElseThrow(() -> new IllegalArgumentException("Paritas has a generator of its own for r = 1 and for "
                        + SearchedGenerators.mdsShapes() + ", got " + code
                        + "; use the Cauchy generator (rs) instead, which has every shape"));
    }

    /**
     * A local reconstruction code: r global parity units, made of all data units, and l local ones, each the xor of a
     * group of k / l consecutive data units. {@link LrcParameters} has the order. The rows of the global units come first.
     *
     * <p>The codes are maximally recoverable: they reconstruct every loss that any code with these groups can, which is one
     * unit of each group and any r more. The coefficients are searched like those of {@link #paritas}; this is version 1,
     * which never changes. There is one for (6,2,2) and for
     * (12,2,2), the shapes of Windows Azure Storage, for (10,2,2), and for (16,2,4), whose groups are of four.
     *
     * @throws IllegalArgumentException if there is none for this shape
     * @see <a href="https://arxiv.org/abs/1307.4150">P. Gopalan et al., Explicit Maximally Recoverable Codes with
     *     Locality, IEEE Transactions on Information Theory 60(9), 2014</a>
     */
    public static Matrix lrc(LrcParameters code) {
        return SearchedGenerators.lrc(code)
                .orElseThrow(() -> new IllegalArgumentException("Paritas has a local reconstruction code for "
                        + SearchedGenerators.lrcShapes() + ", got " + code
                        + "; use one of these, or an MDS code (rs), which has no local groups"));
    }

    /** HDFS's codec {@code xor}: one parity unit, the xor of all data units. */
    public static Matrix xor(int k) {
        return Matrix.of(GaloisField.bytes(), 1, k, (i, j) -> 1);
    }
}
