/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** What is no product: computed twice and compared bit by bit, where its layer is protected. Pure and thread-safe. */
@FunctionalInterface
interface Operator {
    /**
     * Computes a batch.
     *
     * @param in values of all inputs, rows one after the other; images are (height, width, channels)
     * @param out is filled
     */
    void apply(int rows, float[][] in, float[] out);
}
