/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Tiles with the JDK's incubating Vector API. A tile of six rows and two vectors keeps twelve accumulators, which with two
 * vectors of B and one value of A fit the sixteen registers of AVX2 too. Written out, because C2 keeps vectors in registers
 * only where they are local variables.
 *
 * <p>The only source of this module that imports that API, so the only class that a JVM without {@code --add-modules
 * jdk.incubator.vector} cannot load.
 */
final class VectorTiles implements Tiles {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    @Override
    public int lanes() {
        return LANES;
    }

    @Override
    public void multiply(
            float[] a,
            int aAt,
            int aStride,
            int rows,
            float[] b,
            int bAt,
            int vectors,
            int depth,
            float[] c,
            int cAt,
            int cStride) {
        if (rows == ROWS && vectors == 2) {
            six2(a, aAt, aStride, b, bAt, depth, c, cAt, cStride);
        } else if (rows == ROWS) {
            six1(a, aAt, aStride, b, bAt, depth, c, cAt, cStride);
        } else {
            for (int row = 0; row < rows; row++) {
                if (vectors == 2) {
                    one2(a, aAt + row * aStride, b, bAt, depth, c, cAt + row * cStride);
                } else {
                    one1(a, aAt + row * aStride, b, bAt, depth, c, cAt + row * cStride);
                }
            }
        }
    }

    private static void six2(
            float[] a, int aAt, int aStride, float[] b, int bAt, int depth, float[] c, int cAt, int cStride) {
        int a1 = aAt + aStride;
        int a2 = a1 + aStride;
        int a3 = a2 + aStride;
        int a4 = a3 + aStride;
        int a5 = a4 + aStride;
        int c1 = cAt + cStride;
        int c2 = c1 + cStride;
        int c3 = c2 + cStride;
        int c4 = c3 + cStride;
        int c5 = c4 + cStride;
        FloatVector s00 = FloatVector.zero(SPECIES);
        FloatVector s01 = FloatVector.zero(SPECIES);
        FloatVector s10 = FloatVector.zero(SPECIES);
        FloatVector s11 = FloatVector.zero(SPECIES);
        FloatVector s20 = FloatVector.zero(SPECIES);
        FloatVector s21 = FloatVector.zero(SPECIES);
        FloatVector s30 = FloatVector.zero(SPECIES);
        FloatVector s31 = FloatVector.zero(SPECIES);
        FloatVector s40 = FloatVector.zero(SPECIES);
        FloatVector s41 = FloatVector.zero(SPECIES);
        FloatVector s50 = FloatVector.zero(SPECIES);
        FloatVector s51 = FloatVector.zero(SPECIES);
        for (int k = 0; k < depth; k++) {
            FloatVector b0 = FloatVector.fromArray(SPECIES, b, bAt + k * 2 * LANES);
            FloatVector b1 = FloatVector.fromArray(SPECIES, b, bAt + k * 2 * LANES + LANES);
            FloatVector x = FloatVector.broadcast(SPECIES, a[aAt + k]);
            s00 = x.fma(b0, s00);
            s01 = x.fma(b1, s01);
            x = FloatVector.broadcast(SPECIES, a[a1 + k]);
            s10 = x.fma(b0, s10);
            s11 = x.fma(b1, s11);
            x = FloatVector.broadcast(SPECIES, a[a2 + k]);
            s20 = x.fma(b0, s20);
            s21 = x.fma(b1, s21);
            x = FloatVector.broadcast(SPECIES, a[a3 + k]);
            s30 = x.fma(b0, s30);
            s31 = x.fma(b1, s31);
            x = FloatVector.broadcast(SPECIES, a[a4 + k]);
            s40 = x.fma(b0, s40);
            s41 = x.fma(b1, s41);
            x = FloatVector.broadcast(SPECIES, a[a5 + k]);
            s50 = x.fma(b0, s50);
            s51 = x.fma(b1, s51);
        }
        add(c, cAt, s00);
        add(c, cAt + LANES, s01);
        add(c, c1, s10);
        add(c, c1 + LANES, s11);
        add(c, c2, s20);
        add(c, c2 + LANES, s21);
        add(c, c3, s30);
        add(c, c3 + LANES, s31);
        add(c, c4, s40);
        add(c, c4 + LANES, s41);
        add(c, c5, s50);
        add(c, c5 + LANES, s51);
    }

    private static void six1(
            float[] a, int aAt, int aStride, float[] b, int bAt, int depth, float[] c, int cAt, int cStride) {
        int a1 = aAt + aStride;
        int a2 = a1 + aStride;
        int a3 = a2 + aStride;
        int a4 = a3 + aStride;
        int a5 = a4 + aStride;
        int c1 = cAt + cStride;
        int c2 = c1 + cStride;
        int c3 = c2 + cStride;
        int c4 = c3 + cStride;
        int c5 = c4 + cStride;
        FloatVector s00 = FloatVector.zero(SPECIES);
        FloatVector s10 = FloatVector.zero(SPECIES);
        FloatVector s20 = FloatVector.zero(SPECIES);
        FloatVector s30 = FloatVector.zero(SPECIES);
        FloatVector s40 = FloatVector.zero(SPECIES);
        FloatVector s50 = FloatVector.zero(SPECIES);
        for (int k = 0; k < depth; k++) {
            FloatVector b0 = FloatVector.fromArray(SPECIES, b, bAt + k * LANES);
            FloatVector x = FloatVector.broadcast(SPECIES, a[aAt + k]);
            s00 = x.fma(b0, s00);
            x = FloatVector.broadcast(SPECIES, a[a1 + k]);
            s10 = x.fma(b0, s10);
            x = FloatVector.broadcast(SPECIES, a[a2 + k]);
            s20 = x.fma(b0, s20);
            x = FloatVector.broadcast(SPECIES, a[a3 + k]);
            s30 = x.fma(b0, s30);
            x = FloatVector.broadcast(SPECIES, a[a4 + k]);
            s40 = x.fma(b0, s40);
            x = FloatVector.broadcast(SPECIES, a[a5 + k]);
            s50 = x.fma(b0, s50);
        }
        add(c, cAt, s00);
        add(c, c1, s10);
        add(c, c2, s20);
        add(c, c3, s30);
        add(c, c4, s40);
        add(c, c5, s50);
    }

    private static void add(float[] c, int at, FloatVector sum) {
        FloatVector.fromArray(SPECIES, c, at).add(sum).intoArray(c, at);
    }

    /** One row has few accumulators, so four steps of the depth are on the way at once. */
    private static void one2(float[] a, int aAt, float[] b, int bAt, int depth, float[] c, int cAt) {
        FloatVector s00 = FloatVector.zero(SPECIES);
        FloatVector s01 = FloatVector.zero(SPECIES);
        FloatVector s10 = FloatVector.zero(SPECIES);
        FloatVector s11 = s10;
        FloatVector s20 = s10;
        FloatVector s21 = s10;
        FloatVector s30 = s10;
        FloatVector s31 = s10;
        int k = 0;
        for (; k < depth - 3; k += 4) {
            int at = bAt + k * 2 * LANES;
            FloatVector x = FloatVector.broadcast(SPECIES, a[aAt + k]);
            s00 = x.fma(FloatVector.fromArray(SPECIES, b, at), s00);
            s01 = x.fma(FloatVector.fromArray(SPECIES, b, at + LANES), s01);
            x = FloatVector.broadcast(SPECIES, a[aAt + k + 1]);
            s10 = x.fma(FloatVector.fromArray(SPECIES, b, at + 2 * LANES), s10);
            s11 = x.fma(FloatVector.fromArray(SPECIES, b, at + 3 * LANES), s11);
            x = FloatVector.broadcast(SPECIES, a[aAt + k + 2]);
            s20 = x.fma(FloatVector.fromArray(SPECIES, b, at + 4 * LANES), s20);
            s21 = x.fma(FloatVector.fromArray(SPECIES, b, at + 5 * LANES), s21);
            x = FloatVector.broadcast(SPECIES, a[aAt + k + 3]);
            s30 = x.fma(FloatVector.fromArray(SPECIES, b, at + 6 * LANES), s30);
            s31 = x.fma(FloatVector.fromArray(SPECIES, b, at + 7 * LANES), s31);
        }
        for (; k < depth; k++) {
            FloatVector x = FloatVector.broadcast(SPECIES, a[aAt + k]);
            s00 = x.fma(FloatVector.fromArray(SPECIES, b, bAt + k * 2 * LANES), s00);
            s01 = x.fma(FloatVector.fromArray(SPECIES, b, bAt + k * 2 * LANES + LANES), s01);
        }
        add(c, cAt, s00.add(s10).add(s20.add(s30)));
        add(c, cAt + LANES, s01.add(s11).add(s21.add(s31)));
    }

    private static void one1(float[] a, int aAt, float[] b, int bAt, int depth, float[] c, int cAt) {
        FloatVector s0 = FloatVector.zero(SPECIES);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        int k = 0;
        for (; k < depth - 3; k += 4) {
            int at = bAt + k * LANES;
            s0 = FloatVector.broadcast(SPECIES, a[aAt + k]).fma(FloatVector.fromArray(SPECIES, b, at), s0);
            s1 = FloatVector.broadcast(SPECIES, a[aAt + k + 1]).fma(FloatVector.fromArray(SPECIES, b, at + LANES), s1);
            s2 = FloatVector.broadcast(SPECIES, a[aAt + k + 2])
                    .fma(FloatVector.fromArray(SPECIES, b, at + 2 * LANES), s2);
            s3 = FloatVector.broadcast(SPECIES, a[aAt + k + 3])
                    .fma(FloatVector.fromArray(SPECIES, b, at + 3 * LANES), s3);
        }
        for (; k < depth; k++) {
            s0 = FloatVector.broadcast(SPECIES, a[aAt + k]).fma(FloatVector.fromArray(SPECIES, b, bAt + k * LANES), s0);
        }
        add(c, cAt, s0.add(s1).add(s2.add(s3)));
    }

    @Override
    public void replicate(
            float[] a, int aAt, int aStride, int rows, float[] b, int bAt, int vectors, int depth, float[] lanes) {
        if (rows == ROWS) {
            for (int v = 0; v < vectors; v++) {
                replicate6(a, aAt, aStride, b, bAt + v * LANES, vectors * LANES, depth, lanes);
            }
        } else {
            for (int row = 0; row < rows; row++) {
                for (int v = 0; v < vectors; v++) {
                    replicate1(a, aAt + row * aStride, b, bAt + v * LANES, vectors * LANES, depth, lanes);
                }
            }
        }
    }

    private static void replicate6(
            float[] a, int aAt, int aStride, float[] b, int bAt, int bStride, int depth, float[] lanes) {
        int a1 = aAt + aStride;
        int a2 = a1 + aStride;
        int a3 = a2 + aStride;
        int a4 = a3 + aStride;
        int a5 = a4 + aStride;
        FloatVector s0 = FloatVector.fromArray(SPECIES, lanes, 0);
        FloatVector s1 = FloatVector.zero(SPECIES);
        FloatVector s2 = s1;
        for (int k = 0; k < depth; k++) {
            FloatVector b0 = FloatVector.fromArray(SPECIES, b, bAt + k * bStride);
            s0 = FloatVector.broadcast(SPECIES, a[aAt + k]).fma(b0, s0);
            s1 = FloatVector.broadcast(SPECIES, a[a1 + k]).fma(b0, s1);
            s2 = FloatVector.broadcast(SPECIES, a[a2 + k]).fma(b0, s2);
            s0 = FloatVector.broadcast(SPECIES, a[a3 + k]).fma(b0, s0);
            s1 = FloatVector.broadcast(SPECIES, a[a4 + k]).fma(b0, s1);
            s2 = FloatVector.broadcast(SPECIES, a[a5 + k]).fma(b0, s2);
        }
        s0.add(s1).add(s2).intoArray(lanes, 0);
    }

    private static void replicate1(float[] a, int aAt, float[] b, int bAt, int bStride, int depth, float[] lanes) {
        FloatVector sum = FloatVector.fromArray(SPECIES, lanes, 0);
        for (int k = 0; k < depth; k++) {
            sum = FloatVector.broadcast(SPECIES, a[aAt + k])
                    .fma(FloatVector.fromArray(SPECIES, b, bAt + k * bStride), sum);
        }
        sum.intoArray(lanes, 0);
    }

    @Override
    public void checksum(
            float[] a, int aAt, int aStride, int rows, float[] column, int columnAt, int depth, float[] lanes) {
        int whole = SPECIES.loopBound(depth);
        if (rows == ROWS) {
            checksum6(a, aAt, aStride, column, columnAt, whole, lanes);
        } else {
            for (int row = 0; row < rows; row++) {
                checksum1(a, aAt + row * aStride, column, columnAt, whole, lanes);
            }
        }
        for (int k = whole; k < depth; k++) {
            for (int row = 0; row < rows; row++) {
                lanes[k - whole] += a[aAt + row * aStride + k] * column[columnAt + k];
            }
        }
    }

    private static void checksum1(float[] a, int aAt, float[] column, int columnAt, int whole, float[] lanes) {
        FloatVector s0 = FloatVector.fromArray(SPECIES, lanes, 0);
        FloatVector s1 = FloatVector.zero(SPECIES);
        int k = 0;
        for (; k < whole - LANES; k += 2 * LANES) {
            s0 = FloatVector.fromArray(SPECIES, a, aAt + k)
                    .fma(FloatVector.fromArray(SPECIES, column, columnAt + k), s0);
            s1 = FloatVector.fromArray(SPECIES, a, aAt + k + LANES)
                    .fma(FloatVector.fromArray(SPECIES, column, columnAt + k + LANES), s1);
        }
        if (k < whole) {
            s0 = FloatVector.fromArray(SPECIES, a, aAt + k)
                    .fma(FloatVector.fromArray(SPECIES, column, columnAt + k), s0);
        }
        s0.add(s1).intoArray(lanes, 0);
    }

    private static void checksum6(
            float[] a, int aAt, int aStride, float[] column, int columnAt, int whole, float[] lanes) {
        int a1 = aAt + aStride;
        int a2 = a1 + aStride;
        int a3 = a2 + aStride;
        int a4 = a3 + aStride;
        int a5 = a4 + aStride;
        FloatVector s0 = FloatVector.fromArray(SPECIES, lanes, 0);
        FloatVector s1 = FloatVector.zero(SPECIES);
        FloatVector s2 = s1;
        for (int k = 0; k < whole; k += LANES) {
            FloatVector b = FloatVector.fromArray(SPECIES, column, columnAt + k);
            s0 = FloatVector.fromArray(SPECIES, a, aAt + k).fma(b, s0);
            s1 = FloatVector.fromArray(SPECIES, a, a1 + k).fma(b, s1);
            s2 = FloatVector.fromArray(SPECIES, a, a2 + k).fma(b, s2);
            s0 = FloatVector.fromArray(SPECIES, a, a3 + k).fma(b, s0);
            s1 = FloatVector.fromArray(SPECIES, a, a4 + k).fma(b, s1);
            s2 = FloatVector.fromArray(SPECIES, a, a5 + k).fma(b, s2);
        }
        s0.add(s1).add(s2).intoArray(lanes, 0);
    }

    @Override
    public void columns(float[] a, int aAt, int aStride, int rows, int depth, float[] sums, int sumsAt, float[] lanes) {
        int whole = SPECIES.loopBound(depth);
        if (rows == ROWS) {
            columns6(a, aAt, aStride, whole, sums, sumsAt, lanes);
        } else {
            Arrays.fill(sums, sumsAt, sumsAt + whole, 0);
            for (int row = 0; row < rows; row++) {
                columns1(a, aAt + row * aStride, whole, sums, sumsAt, lanes);
            }
        }
        for (int k = whole; k < depth; k++) {
            float sum = 0;
            for (int row = 0; row < rows; row++) {
                float x = a[aAt + row * aStride + k];
                sum += x;
                lanes[k - whole] += x * x;
            }
            sums[sumsAt + k] = sum;
        }
    }

    private static void columns6(float[] a, int aAt, int aStride, int whole, float[] sums, int sumsAt, float[] lanes) {
        int a1 = aAt + aStride;
        int a2 = a1 + aStride;
        int a3 = a2 + aStride;
        int a4 = a3 + aStride;
        int a5 = a4 + aStride;
        FloatVector s0 = FloatVector.fromArray(SPECIES, lanes, 0);
        FloatVector s1 = FloatVector.zero(SPECIES);
        for (int k = 0; k < whole; k += LANES) {
            FloatVector x0 = FloatVector.fromArray(SPECIES, a, aAt + k);
            FloatVector x1 = FloatVector.fromArray(SPECIES, a, a1 + k);
            FloatVector x2 = FloatVector.fromArray(SPECIES, a, a2 + k);
            FloatVector x3 = FloatVector.fromArray(SPECIES, a, a3 + k);
            FloatVector x4 = FloatVector.fromArray(SPECIES, a, a4 + k);
            FloatVector x5 = FloatVector.fromArray(SPECIES, a, a5 + k);
            x0.add(x1).add(x2.add(x3)).add(x4.add(x5)).intoArray(sums, sumsAt + k);
            s0 = x4.fma(x4, x2.fma(x2, x0.fma(x0, s0)));
            s1 = x5.fma(x5, x3.fma(x3, x1.fma(x1, s1)));
        }
        s0.add(s1).intoArray(lanes, 0);
    }

    private static void columns1(float[] a, int aAt, int whole, float[] sums, int sumsAt, float[] lanes) {
        FloatVector squares = FloatVector.fromArray(SPECIES, lanes, 0);
        for (int k = 0; k < whole; k += LANES) {
            FloatVector x = FloatVector.fromArray(SPECIES, a, aAt + k);
            FloatVector.fromArray(SPECIES, sums, sumsAt + k).add(x).intoArray(sums, sumsAt + k);
            squares = x.fma(x, squares);
        }
        squares.intoArray(lanes, 0);
    }

    @Override
    public void subtract(float[] c, int cAt, int cStride, int rows, int vectors, float[] lanes) {
        for (int v = 0; v < vectors; v++) {
            if (rows == ROWS) {
                subtract6(c, cAt + v * LANES, cStride, lanes);
            } else {
                for (int row = 0; row < rows; row++) {
                    subtract1(c, cAt + row * cStride + v * LANES, lanes);
                }
            }
        }
    }

    private static void subtract6(float[] c, int at, int stride, float[] lanes) {
        FloatVector s0 = FloatVector.fromArray(SPECIES, c, at).add(FloatVector.fromArray(SPECIES, c, at + stride));
        FloatVector s1 = FloatVector.fromArray(SPECIES, c, at + 2 * stride)
                .add(FloatVector.fromArray(SPECIES, c, at + 3 * stride));
        FloatVector s2 = FloatVector.fromArray(SPECIES, c, at + 4 * stride)
                .add(FloatVector.fromArray(SPECIES, c, at + 5 * stride));
        FloatVector.fromArray(SPECIES, lanes, 0).sub(s0.add(s1).add(s2)).intoArray(lanes, 0);
    }

    private static void subtract1(float[] c, int at, float[] lanes) {
        FloatVector.fromArray(SPECIES, lanes, 0)
                .sub(FloatVector.fromArray(SPECIES, c, at))
                .intoArray(lanes, 0);
    }
}
