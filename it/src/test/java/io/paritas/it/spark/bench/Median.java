/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.Arrays;

/** The value in the middle, of an even number the greater of two. */
final class Median {
    private Median() {}

    /** NaN of nothing. */
    static double of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }
}
