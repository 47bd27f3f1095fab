/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** An operator that is no matrix product. Protected models compute it twice and compare bit by bit. Pure and thread-safe. */
@FunctionalInterface
interface Operator {
    /**
     * Computes a batch.
     *
     * @param rows rows of the batch
     * @param in values of each input, rows one after another; images are (height, width, channels)
     * @param out values of the output, filled
     */
    void apply(int rows, float[][] in, float[] out);
}
