/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Tiles with the JDK's incubating Vector API. A tile of six rows and two vectors has twelve accumulators; with two vectors of B
 * and one value of A they fit the sixteen registers of AVX2. The code is written out because C2 keeps vectors in registers only
 * as local variables.
 *
 * <p>This is the only class of the module that imports that API, so the only one that a JVM without {@code --add-modules
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
    public void multiply(MatrixPart a, PanelPart b, MatrixPart c) {
        if (a.rows() == ROWS && b.vectors() == 2) {
            six2(a, b, c);
        } else if (a.rows() == ROWS) {
            six1(a, b, c);
        } else {
            for (int row = 0; row < a.rows(); row++) {
                if (b.vectors() == 2) {
                    one2(a.values(), a.at(row), b, c.values(), c.at(row));
                } else {
                    one1(a.values(), a.at(row), b, c.values(), c.at(row));
                }
            }
        }
    }

    private static void six2(MatrixPart left, PanelPart right, MatrixPart sum) {
        float[] a = left.values();
        int aAt = left.at();
        int a1 = left.at(1);
        int a2 = left.at(2);
        int a3 = left.at(3);
        int a4 = left.at(4);
        int a5 = left.at(5);
        float[] b = right.values();
        int bAt = right.at();
        int depth = right.depth();
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
        float[] c = sum.values();
        int cAt = sum.at();
        int c1 = sum.at(1);
        int c2 = sum.at(2);
        int c3 = sum.at(3);
        int c4 = sum.at(4);
        int c5 = sum.at(5);
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

    private static void six1(MatrixPart left, PanelPart right, MatrixPart sum) {
        float[] a = left.values();
        int aAt = left.at();
        int a1 = left.at(1);
        int a2 = left.at(2);
        int a3 = left.at(3);
        int a4 = left.at(4);
        int a5 = left.at(5);
        float[] b = right.values();
        int bAt = right.at();
        int depth = right.depth();
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
        float[] c = sum.values();
        int cAt = sum.at();
        int c1 = sum.at(1);
        int c2 = sum.at(2);
        int c3 = sum.at(3);
        int c4 = sum.at(4);
        int c5 = sum.at(5);
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

    /** One row needs few accumulators, so four steps of the depth run at once. */
    private static void one2(float[] a, int aAt, PanelPart right, float[] c, int cAt) {
        float[] b = right.values();
        int bAt = right.at();
        int depth = right.depth();
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

    private static void one1(float[] a, int aAt, PanelPart right, float[] c, int cAt) {
        float[] b = right.values();
        int bAt = right.at();
        int depth = right.depth();
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
    public void replicate(MatrixPart a, PanelPart b, float[] lanes) {
        if (a.rows() == ROWS) {
            for (int v = 0; v < b.vectors(); v++) {
                replicate6(a, b, v, lanes);
            }
        } else {
            for (int row = 0; row < a.rows(); row++) {
                for (int v = 0; v < b.vectors(); v++) {
                    replicate1(a.values(), a.at(row), b, v, lanes);
                }
            }
        }
    }

    private static void replicate6(MatrixPart left, PanelPart right, int vector, float[] lanes) {
        float[] a = left.values();
        int aAt = left.at();
        int a1 = left.at(1);
        int a2 = left.at(2);
        int a3 = left.at(3);
        int a4 = left.at(4);
        int a5 = left.at(5);
        float[] b = right.values();
        int bAt = right.at() + vector * LANES;
        int bStride = right.vectors() * LANES;
        int depth = right.depth();
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

    private static void replicate1(float[] a, int aAt, PanelPart right, int vector, float[] lanes) {
        float[] b = right.values();
        int bAt = right.at() + vector * LANES;
        int bStride = right.vectors() * LANES;
        int depth = right.depth();
        FloatVector sum = FloatVector.fromArray(SPECIES, lanes, 0);
        for (int k = 0; k < depth; k++) {
            sum = FloatVector.broadcast(SPECIES, a[aAt + k])
                    .fma(FloatVector.fromArray(SPECIES, b, bAt + k * bStride), sum);
        }
        sum.intoArray(lanes, 0);
    }

    @Override
    public void checksum(MatrixPart a, float[] column, int columnAt, int depth, float[] lanes) {
        int whole = SPECIES.loopBound(depth);
        if (a.rows() == ROWS) {
            checksum6(a, column, columnAt, whole, lanes);
        } else {
            for (int row = 0; row < a.rows(); row++) {
                checksum1(a.values(), a.at(row), column, columnAt, whole, lanes);
            }
        }
        for (int k = whole; k < depth; k++) {
            for (int row = 0; row < a.rows(); row++) {
                lanes[k - whole] += a.values()[a.at(row) + k] * column[columnAt + k];
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

    private static void checksum6(MatrixPart left, float[] column, int columnAt, int whole, float[] lanes) {
        float[] a = left.values();
        int aAt = left.at();
        int a1 = left.at(1);
        int a2 = left.at(2);
        int a3 = left.at(3);
        int a4 = left.at(4);
        int a5 = left.at(5);
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
    public void columns(MatrixPart a, int depth, float[] sums, int sumsAt, float[] lanes) {
        int whole = SPECIES.loopBound(depth);
        if (a.rows() == ROWS) {
            columns6(a, whole, sums, sumsAt, lanes);
        } else {
            Arrays.fill(sums, sumsAt, sumsAt + whole, 0);
            for (int row = 0; row < a.rows(); row++) {
                columns1(a.values(), a.at(row), whole, sums, sumsAt, lanes);
            }
        }
        for (int k = whole; k < depth; k++) {
            float sum = 0;
            for (int row = 0; row < a.rows(); row++) {
                float x = a.values()[a.at(row) + k];
                sum += x;
                lanes[k - whole] += x * x;
            }
            sums[sumsAt + k] = sum;
        }
    }

    private static void columns6(MatrixPart left, int whole, float[] sums, int sumsAt, float[] lanes) {
        float[] a = left.values();
        int aAt = left.at();
        int a1 = left.at(1);
        int a2 = left.at(2);
        int a3 = left.at(3);
        int a4 = left.at(4);
        int a5 = left.at(5);
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
    public void subtract(MatrixPart c, int vectors, float[] lanes) {
        for (int v = 0; v < vectors; v++) {
            if (c.rows() == ROWS) {
                subtract6(c.values(), c.at() + v * LANES, c.stride(), lanes);
            } else {
                for (int row = 0; row < c.rows(); row++) {
                    subtract1(c.values(), c.at(row) + v * LANES, lanes);
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
