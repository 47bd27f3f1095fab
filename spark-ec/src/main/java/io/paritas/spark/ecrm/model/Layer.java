/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

/**
 * A linear layer, whose parameters are a matrix (outputs, inputs), row-major, and a bias behind it.
 *
 * @param name such as {@code bottom.0}
 * @param offset where its parameters begin among those of the network
 * @param rectified whether negative outputs become 0
 */
record Layer(String name, int inputs, int outputs, int offset, boolean rectified) {

    int weights() {
        return inputs * outputs;
    }

    int biasOffset() {
        return offset + weights();
    }

    int end() {
        return biasOffset() + outputs;
    }
}
