/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import io.paritas.inference.protect.gemm.Activations;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import io.paritas.inference.protect.gemm.Weights;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Multiplies float32 matrices as models do. The entries are whole numbers times powers of two, so small that every sum is exact,
 * in any order: the right products are computed with integers, and are the same for every width of vectors. Half of the patterns
 * sum many products of 8 bits, the others few of 12 bits, which fill the significand.
 */
final class ProductExercise implements Exercise {
    static final String NAME = "matrix product";
    private static final int ROWS = 48;
    private static final int COLUMNS = 64;
    private static final int DEEP = 256;
    private static final int DEEP_BITS = 8;
    private static final int WIDE_BITS = 12;
    private static final int MOST_EXPONENT = 20;

    private final Probe probe;
    private final Factors[] factors = new Factors[PATTERNS];

    /** A product of two matrices. */
    private record Factors(float[] a, int depth, Gemm gemm, float[] product) {}

    ProductExercise() {
        this(Probe.NONE);
    }

    /** An exercise whose results a probe may change. */
    ProductExercise(Probe probe) {
        this.probe = probe;
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            factors[pattern] = pattern % 2 == 0 ? factors(pattern, DEEP, DEEP_BITS) : factors(pattern, 1, WIDE_BITS);
        }
    }

    private static Factors factors(int pattern, int depth, int bits) {
        SplittableRandom random = Patterns.random(pattern, 0);
        int[] a = random.ints((long) ROWS * depth, 1 - (1 << bits), 1 << bits).toArray();
        int[] b =
                random.ints((long) depth * COLUMNS, 1 - (1 << bits), 1 << bits).toArray();
        int[] exponents = random.ints(ROWS, -MOST_EXPONENT, MOST_EXPONENT).toArray();
        float[] left = new float[a.length];
        float[] product = new float[ROWS * COLUMNS];
        for (int row = 0; row < ROWS; row++) {
            for (int k = 0; k < depth; k++) {
                left[row * depth + k] = Math.scalb((float) a[row * depth + k], exponents[row]);
            }
            for (int column = 0; column < COLUMNS; column++) {
                int sum = 0;
                for (int k = 0; k < depth; k++) {
                    sum += a[row * depth + k] * b[k * COLUMNS + column];
                }
                product[row * COLUMNS + column] = Math.scalb((float) sum, exponents[row]);
            }
        }
        Weights weights = Weights.pack(depth, COLUMNS, (k, n) -> b[k * COLUMNS + n], new float[COLUMNS]);
        return new Factors(left, depth, new Gemm(weights), product);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void run(int pattern, Consumer<WrongResult> wrong) {
        Factors factor = factors[pattern];
        float[] result = new float[ROWS * COLUMNS];
        factor.gemm.run(
                Activations.of(factor.a, ROWS, factor.depth),
                new Gemm.Target(result, 0, COLUMNS),
                Scheme.TWO_SIDED,
                probe);
        for (int i = 0; i < result.length; i++) {
            // Zero has two signs, and the sum of zeros may have either.
            if (result[i] != factor.product[i]) {
                int right = Float.floatToRawIntBits(factor.product[i]);
                wrong.accept(new WrongResult(NAME, pattern, i, Float.SIZE, right, Float.floatToRawIntBits(result[i])));
            }
        }
    }
}
