/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

/**
 * A linear layer and its activation. Its parameters are a matrix (outputs, inputs), row-major, and a bias behind it.
 *
 * @param name for example {@code bottom.0}
 * @param offset start of its parameters among those of both networks
 */
record Layer(String name, int inputs, int outputs, int offset, Activation activation) {

    /** What follows the linear function. */
    enum Activation {
        RELU,
        NONE
    }

    /** The same layer without an activation. */
    Layer linear() {
        return new Layer(name, inputs, outputs, offset, Activation.NONE);
    }

    boolean isRectified() {
        return activation == Activation.RELU;
    }

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
