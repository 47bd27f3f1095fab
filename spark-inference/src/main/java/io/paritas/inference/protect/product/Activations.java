/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

/** A (M × K), whole or made in parts when they are needed: a convolution never holds all of it. Thread-safe. */
public interface Activations {

    /** M. */
    int rows();

    /**
     * Shows a part of A.
     *
     * @param row first row
     * @param rows how many, at most {@link Product#BLOCK_ROWS}
     * @param k first column
     * @param depth how many, at most {@link Product#BLOCK_DEPTH}
     * @param part shows it afterwards; its own array may be filled
     */
    void show(int row, int rows, int k, int depth, Part part);

    /** A part of A, in an array of its own or another's. Not thread-safe. */
    final class Part {
        private final float[] own = new float[Product.BLOCK_ROWS * Product.BLOCK_DEPTH];
        private float[] values = own;
        private int at;
        private int stride;

        /** Shows values of another array, from an index on. */
        public void show(float[] others, int from, int distance) {
            values = others;
            at = from;
            stride = distance;
        }

        /** Shows the own array, to be filled from index 0 on with rows of that many values. */
        public float[] fill(int depth) {
            show(own, 0, depth);
            return own;
        }

        float[] values() {
            return values;
        }

        int at(int row) {
            return at + row * stride;
        }

        int stride() {
            return stride;
        }
    }

    /** A matrix in an array, row by row. */
    static Activations of(float[] values, int rows, int stride) {
        return new Activations() {
            @Override
            public int rows() {
                return rows;
            }

            @Override
            public void show(int row, int count, int k, int depth, Part part) {
                if (stride <= Product.BLOCK_DEPTH) {
                    part.show(values, row * stride + k, stride);
                    return;
                }
                /* Far apart, rows would push each other out of the first cache. */
                float[] own = part.fill(depth);
                for (int i = 0; i < count; i++) {
                    System.arraycopy(values, (row + i) * stride + k, own, i * depth, depth);
                }
            }
        };
    }
}
