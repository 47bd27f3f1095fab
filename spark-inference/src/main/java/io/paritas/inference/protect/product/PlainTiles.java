/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.Arrays;

/** Plain Java, for JVMs without the Vector API; the lanes are there for the compiler to find. */
final class PlainTiles implements Tiles {
    private static final int LANES = 8;

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
        int width = vectors * LANES;
        float[] sums = new float[width];
        for (int row = 0; row < rows; row++) {
            Arrays.fill(sums, 0);
            for (int k = 0; k < depth; k++) {
                float x = a[aAt + row * aStride + k];
                int from = bAt + k * width;
                for (int j = 0; j < width; j++) {
                    sums[j] += x * b[from + j];
                }
            }
            int to = cAt + row * cStride;
            for (int j = 0; j < width; j++) {
                c[to + j] += sums[j];
            }
        }
    }

    @Override
    public void replicate(
            float[] a, int aAt, int aStride, int rows, float[] b, int bAt, int vectors, int depth, float[] lanes) {
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < depth; k++) {
                float x = a[aAt + row * aStride + k];
                int from = bAt + k * vectors * LANES;
                for (int j = 0; j < vectors * LANES; j++) {
                    lanes[j % LANES] += x * b[from + j];
                }
            }
        }
    }

    @Override
    public void checksum(
            float[] a, int aAt, int aStride, int rows, float[] column, int columnAt, int depth, float[] lanes) {
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < depth; k++) {
                lanes[k % LANES] += a[aAt + row * aStride + k] * column[columnAt + k];
            }
        }
    }

    @Override
    public void columns(float[] a, int aAt, int aStride, int rows, int depth, float[] sums, int sumsAt, float[] lanes) {
        for (int k = 0; k < depth; k++) {
            float sum = 0;
            float squares = 0;
            for (int row = 0; row < rows; row++) {
                float x = a[aAt + row * aStride + k];
                sum += x;
                squares += x * x;
            }
            sums[sumsAt + k] = sum;
            lanes[k % LANES] += squares;
        }
    }

    @Override
    public void subtract(float[] c, int cAt, int cStride, int rows, int vectors, float[] lanes) {
        for (int row = 0; row < rows; row++) {
            for (int j = 0; j < vectors * LANES; j++) {
                lanes[j % LANES] -= c[cAt + row * cStride + j];
            }
        }
    }
}
