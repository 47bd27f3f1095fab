/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.util.Arrays;

/** A growing list of floats. */
final class Floats {
    private float[] values = new float[64];
    private int size;

    void add(float value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * size));
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    FloatList toList() {
        return new FloatList(Arrays.copyOf(values, size));
    }

    /** Returns the smallest number that at least this part of all numbers do not exceed; NaN if there are none. */
    double quantile(double part) {
        if (size == 0) {
            return Double.NaN;
        }
        float[] sorted = Arrays.copyOf(values, size);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(size - 1L, Math.max(0, (long) Math.ceil(part * size) - 1))];
    }
}
