/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import java.util.List;

/**
 * The costs of one operator. Operators other than convolutions and linear layers cost nothing: libraries fuse them with the layer
 * before (thesis, 9.3, note 3).
 *
 * @param node the operator
 * @param outputShape output shape of one row
 * @param parameters number of parameters, with biases
 * @param weights number of entries of the kernel or matrix: parameters without biases
 * @param macs multiplications, each with an addition, for one row
 * @param operations multiplications and additions for the batch
 * @param inputBytes bytes of activations read for the batch
 * @param weightBytes bytes of weights read for the batch, without biases
 * @param outputBytes bytes of activations written for the batch
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

    /** Whether the operator is a convolution or a linear layer. */
    public boolean linear() {
        return macs > 0;
    }

    /** Memory traffic for the batch. */
    public long bytes() {
        return inputBytes + weightBytes + outputBytes;
    }

    /** Arithmetic intensity in operations per byte (thesis, 9.2.2); 0 for operators without costs. */
    public double intensity() {
        return bytes() == 0 ? 0 : (double) operations / bytes();
    }
}
