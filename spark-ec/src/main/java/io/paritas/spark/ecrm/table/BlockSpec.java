/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.io.Serializable;

/**
 * A block of parameters of the neural network, such as the weights of a layer.
 *
 * @param size floats
 * @param optimizer of its parameters
 * @param initial its parameters at first: those of row 0
 */
public record BlockSpec(int size, Optimizer optimizer, Initial initial) implements Serializable {
    public BlockSpec {
        if (size < 1) {
            throw new IllegalArgumentException("A block has at least one parameter, but was given " + size);
        }
    }

    /** The parameters and the optimizer's state. */
    float[] fresh() {
        float[] all = new float[size + optimizer.state(size)];
        initial.fill(0, all, size);
        return all;
    }
}
