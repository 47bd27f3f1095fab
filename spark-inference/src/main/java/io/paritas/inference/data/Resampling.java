/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Resizes one dimension. Each new value is a weighted sum of neighbouring old values. Immutable. */
final class Resampling {
    private final int from;
    private final Window[] windows;

    /** Weights of consecutive old values for one new value. */
    private record Window(int first, double[] weights) {}

    private Resampling(int from, int to, IntFunction<Window> windows) {
        this.from = from;
        this.windows = IntStream.range(0, to).mapToObj(windows).toArray(Window[]::new);
    }

    /* Pillow's antialiased bilinear filter: a triangle around the new pixel's centre that reaches one old or one new pixel
    to each side, whichever is wider. Weights outside are dropped, and the others sum to 1. */
    static Resampling bilinear(int from, int to) {
        double scale = (double) from / to;
        double reach = Math.max(scale, 1);
        return new Resampling(from, to, i -> triangle((i + 0.5) * scale, reach, from));
    }

    private static Window triangle(double centre, double reach, int size) {
        int first = (int) Math.max(centre - reach + 0.5, 0);
        int end = (int) Math.min(centre + reach + 0.5, size);
        double[] weights = IntStream.range(first, end)
                .mapToDouble(i -> Math.max(0, 1 - Math.abs(i + 0.5 - centre) / reach))
                .toArray();
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] /= sum;
        }
        return new Window(first, weights);
    }

    /** The old pixel under the new pixel's centre. */
    static Resampling nearest(int from, int to) {
        return new Resampling(from, to, i -> new Window((int) ((i + 0.5) * from / to), new double[] {1}));
    }

    /**
     * Resizes the middle dimension of a row-major (outer, from, inner) array.
     *
     * @return (outer, to, inner)
     */
    float[] apply(float[] values, int inner) {
        int outer = values.length / (from * inner);
        float[] result = new float[outer * windows.length * inner];
        double[] sums = new double[inner];
        int target = 0;
        for (int o = 0; o < outer; o++) {
            for (Window window : windows) {
                int source = (o * from + window.first()) * inner;
                if (inner == 1) {
                    result[target] = (float) sum(values, source, window.weights());
                } else {
                    sum(values, source, window.weights(), sums);
                    for (int x = 0; x < inner; x++) {
                        result[target + x] = (float) sums[x];
                    }
                }
                target += inner;
            }
        }
        return result;
    }

    private static double sum(float[] values, int source, double[] weights) {
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += weights[i] * values[source + i];
        }
        return sum;
    }

    /** The same for neighbouring values at once, whose old values are that far apart. */
    private static void sum(float[] values, int source, double[] weights, double[] sums) {
        Arrays.fill(sums, 0);
        for (int i = 0; i < weights.length; i++) {
            add(values, source + i * sums.length, weights[i], sums);
        }
    }

    /* Apart, because the compiler handles small loops over arrays best. */
    private static void add(float[] values, int source, double weight, double[] sums) {
        for (int x = 0; x < sums.length; x++) {
            sums[x] += weight * values[source + x];
        }
    }
}
