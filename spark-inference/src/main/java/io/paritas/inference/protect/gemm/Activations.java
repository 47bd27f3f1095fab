/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/** The matrix A (M × K), in memory or made in parts on demand, as for a convolution. Thread-safe. */
public interface Activations {

    /** M. */
    int rows();

    /**
     * Makes a part of A available.
     *
     * @param row first row
     * @param rows number of rows, at most {@link Gemm#BLOCK_ROWS}
     * @param k first column
     * @param depth number of columns, at most {@link Gemm#BLOCK_DEPTH}
     * @param part is set to the part: to another array, or to its own one, filled
     */
    void show(int row, int rows, int k, int depth, Part part);

    /** A view of a part of A, in its own array or in another. Not thread-safe. */
    final class Part {
        private final float[] own = new float[Gemm.BLOCK_ROWS * Gemm.BLOCK_DEPTH];
        private float[] values = own;
        private int at;
        private int stride;

        /** Points to values of another array, from an index on, with rows a distance apart. */
        public void show(float[] others, int from, int distance) {
            values = others;
            at = from;
            stride = distance;
        }

        /** Points to its own array and returns it, to be filled from index 0 with rows of that many values. */
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

    /** A matrix in an array, row by row, its rows a stride apart. */
    static Activations of(float[] values, int rows, int stride) {
        return new Activations() {
            @Override
            public int rows() {
                return rows;
            }

            @Override
            public void show(int row, int count, int k, int depth, Part part) {
                if (stride <= Gemm.BLOCK_DEPTH) {
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
