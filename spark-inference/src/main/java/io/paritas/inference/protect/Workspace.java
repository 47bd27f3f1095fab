/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** The values of one batch on its way through a network, kept for the next. Not thread-safe. */
final class Workspace {
    private final float[][] values;
    private float[] again = {};

    Workspace(int values) {
        this.values = new float[values][];
    }

    /** Room for a value, whatever it held before. */
    float[] room(int value, int size) {
        if (values[value] == null || values[value].length < size) {
            values[value] = new float[size];
        }
        return values[value];
    }

    float[] get(int value) {
        return values[value];
    }

    /** Room for what is computed twice. */
    float[] again(int size) {
        if (again.length < size) {
            again = new float[size];
        }
        return again;
    }
}
