/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import java.util.List;

/**
 * What one operator costs. Operators other than convolutions and linear layers cost nothing: libraries compute them with
 * the layer before them (thesis, 9.3, note 3).
 *
 * @param node the operator
 * @param outputShape of one row
 * @param parameters trained by gradients, biases too
 * @param weights entries of the kernel or matrix: parameters without biases
 * @param macs multiplications, each with an addition, for one row
 * @param operations multiplications and additions for the batch
 * @param inputBytes of activations read for the batch
 * @param weightBytes read once for the batch; without biases
 * @param outputBytes of activations written for the batch
 */
public record LayerCost(
        Node node,
        List<Integer> outputShape,
        long parameters,
        long weights,
        long macs,
        long operations,
        long inputBytes,
        long weightBytes,
        long outputBytes) {

    /** Whether it is a convolution or a linear layer. */
    public boolean linear() {
        return macs > 0;
    }

    /** Memory traffic for the batch. */
    public long bytes() {
        return inputBytes + weightBytes + outputBytes;
    }

    /** Arithmetic intensity, operations for each byte (thesis, 9.2.2); 0 for what costs nothing. */
    public double intensity() {
        return bytes() == 0 ? 0 : (double) operations / bytes();
    }
}
