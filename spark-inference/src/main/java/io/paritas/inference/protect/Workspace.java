/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** Buffers for the values of one batch, reused for the next. Not thread-safe. */
final class Workspace {
    private final float[][] values;
    private float[] again = {};

    Workspace(int values) {
        this.values = new float[values][];
    }

    /** A buffer for a value; its content is undefined. */
    float[] room(int value, int size) {
        if (values[value] == null || values[value].length < size) {
            values[value] = new float[size];
        }
        return values[value];
    }

    float[] get(int value) {
        return values[value];
    }

    /** A buffer for values that are computed again. */
    float[] again(int size) {
        if (again.length < size) {
            again = new float[size];
        }
        return again;
    }
}
