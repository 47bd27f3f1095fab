/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;

/** A product of random matrices, with its operands and what double precision says. */
record Sample(int m, int n, int k, float[] a, float[] b, float[] bias, float[] c, Gemm gemm) {
    private static final int MARGIN = 3;

    /** Of random sizes: edges of tiles, panels and steps of the depth included. */
    static Sample random(Random random, Tiles tiles) {
        int m = 1 + random.nextInt(random.nextInt(8) == 0 ? 200 : 20);
        int n = 1 + random.nextInt(random.nextBoolean() ? 80 : 20);
        int k = 1 + random.nextInt(random.nextInt(4) == 0 ? 600 : 60);
        return of(random, tiles, m, n, k, (float) Math.exp(random.nextGaussian() * 3));
    }

    static Sample of(Random random, Tiles tiles, int m, int n, int k, float scale) {
        float[] a = values(random, m * k, scale);
        float[] b = values(random, k * n, 1);
        float[] bias = values(random, n, scale);
        Weights weights = Weights.pack(tiles, k, n, (row, column) -> b[row * n + column], bias);
        return new Sample(m, n, k, a, b, bias, new float[m * (n + MARGIN) + 2], new Gemm(weights));
    }

    /** Now of mixed signs, now all positive, and never all of one size. */
    private static float[] values(Random random, int count, float scale) {
        float[] values = new float[count];
        boolean positive = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            double value = random.nextGaussian() * Math.exp(random.nextGaussian());
            values[i] = (float) (scale * (positive ? Math.abs(value) : value));
        }
        return values;
    }

    Activations activations() {
        return Activations.of(a, m, k);
    }

    Gemm.Target target() {
        return new Gemm.Target(c, 2, n + MARGIN);
    }

    Findings run(Scheme scheme, Probe probe) {
        return gemm.run(activations(), target(), scheme, probe);
    }

    /** Every value is within its own error bound of the exact one, and nothing else was written. */
    void requireProduct(String what) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double exact = bias[j];
                double absolute = Math.abs(bias[j]);
                for (int l = 0; l < k; l++) {
                    exact += (double) a[i * k + l] * b[l * n + j];
                    absolute += Math.abs((double) a[i * k + l] * b[l * n + j]);
                }
                assertThat(Math.abs(c[2 + i * (n + MARGIN) + j] - exact))
                        .as("%s at %d, %d: %s", this, i, j, what)
                        .isLessThanOrEqualTo((k + 6) * 0x1p-23 * absolute);
            }
            for (int j = n; j < n + MARGIN; j++) {
                assertThat(c[2 + i * (n + MARGIN) + j])
                        .as("behind row %d of %s", i, this)
                        .isZero();
            }
        }
    }

    @Override
    public String toString() {
        return m + " x " + n + " x " + k;
    }
}
