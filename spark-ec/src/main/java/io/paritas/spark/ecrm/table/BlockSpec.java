/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * A block of parameters of the neural network, such as the weights of a layer.
 *
 * @param size number of parameters, at least 1
 * @param optimizer applies gradients to the parameters
 * @param initial makes the parameters before the first update, as for row 0 of a table
 */
@PublicApi
public record BlockSpec(int size, Optimizer optimizer, Initializer initial) implements Serializable {
    public BlockSpec {
        if (size < 1) {
            throw new IllegalArgumentException("size of a block must be at least 1, got " + size);
        }
    }

    /** Returns the number of floats of the block and its optimizer state. */
    int words() {
        return size + optimizer.state(size);
    }

    /** Returns the parameters and the optimizer state before the first update. */
    float[] fresh() {
        float[] all = new float[words()];
        initial.fill(0, all, size);
        return all;
    }
}
