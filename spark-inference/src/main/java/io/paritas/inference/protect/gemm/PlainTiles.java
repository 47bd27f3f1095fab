/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;

/** Tiles in plain Java, for JVMs without the Vector API. Loops over lanes let the compiler vectorise. */
final class PlainTiles implements Tiles {
    private static final int LANES = 8;

    @Override
    public int lanes() {
        return LANES;
    }

    @Override
    public void multiply(MatrixPart a, PanelPart b, MatrixPart c) {
        int width = b.vectors() * LANES;
        float[] sums = new float[width];
        for (int row = 0; row < a.rows(); row++) {
            multiply(a.values(), a.at(row), b, sums);
            float[] values = c.values();
            int to = c.at(row);
            for (int j = 0; j < width; j++) {
                values[to + j] += sums[j];
            }
        }
    }

    private static void multiply(float[] a, int at, PanelPart b, float[] sums) {
        float[] panel = b.values();
        Arrays.fill(sums, 0);
        for (int k = 0; k < b.depth(); k++) {
            float x = a[at + k];
            int from = b.at() + k * sums.length;
            for (int j = 0; j < sums.length; j++) {
                sums[j] += x * panel[from + j];
            }
        }
    }

    @Override
    public void replicate(MatrixPart a, PanelPart b, float[] lanes) {
        float[] panel = b.values();
        int width = b.vectors() * LANES;
        for (int row = 0; row < a.rows(); row++) {
            for (int k = 0; k < b.depth(); k++) {
                float x = a.values()[a.at(row) + k];
                int from = b.at() + k * width;
                for (int j = 0; j < width; j++) {
                    lanes[j % LANES] += x * panel[from + j];
                }
            }
        }
    }

    @Override
    public void checksum(MatrixPart a, float[] column, int columnAt, int depth, float[] lanes) {
        float[] values = a.values();
        for (int row = 0; row < a.rows(); row++) {
            int at = a.at(row);
            for (int k = 0; k < depth; k++) {
                lanes[k % LANES] += values[at + k] * column[columnAt + k];
            }
        }
    }

    @Override
    public void columns(MatrixPart a, int depth, float[] sums, int sumsAt, float[] lanes) {
        float[] values = a.values();
        for (int k = 0; k < depth; k++) {
            float sum = 0;
            float squares = 0;
            for (int row = 0; row < a.rows(); row++) {
                float x = values[a.at(row) + k];
                sum += x;
                squares += x * x;
            }
            sums[sumsAt + k] = sum;
            lanes[k % LANES] += squares;
        }
    }

    @Override
    public void subtract(MatrixPart c, int vectors, float[] lanes) {
        float[] values = c.values();
        for (int row = 0; row < c.rows(); row++) {
            int at = c.at(row);
            for (int j = 0; j < vectors * LANES; j++) {
                lanes[j % LANES] -= values[at + j];
            }
        }
    }
}
