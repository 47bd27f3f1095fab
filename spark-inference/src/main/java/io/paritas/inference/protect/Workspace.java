/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** Buffers for the values of one batch, used again for later ones and for the next batch. Not thread-safe. */
final class Workspace {
    private final float[][] buffers;
    private float[] again = {};

    Workspace(int buffers) {
        this.buffers = new float[buffers][];
    }

    /** The buffer with that number, with room for so many values; its content is undefined. */
    float[] room(int buffer, int size) {
        if (buffers[buffer] == null || buffers[buffer].length < size) {
            buffers[buffer] = new float[size];
        }
        return buffers[buffer];
    }

    float[] get(int buffer) {
        return buffers[buffer];
    }

    /** A buffer for values that are computed again. */
    float[] again(int size) {
        if (again.length < size) {
            again = new float[size];
        }
        return again;
    }
}
