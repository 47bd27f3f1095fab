/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.nio.FloatBuffer;

/**
 * How a model takes rows as they are stored, and scales them where it runs: less crosses the bus to a GPU, and the processor has less
 * to do. Thread-safe.
 */
@PublicApi
@FunctionalInterface
public interface StoredInput {

    /**
     * Predicts a batch: the same bits as {@link Model#predict(int, FloatBuffer, FloatBuffer)} of the scaled values.
     *
     * @param inputs rows of as many values as the model's input has
     * @param outputs as there
     * @throws IllegalArgumentException as there, or if the rows have another number of values
     * @throws IllegalStateException if the model is closed
     * @throws ModelException as there
     */
    void predict(StoredRows inputs, FloatBuffer outputs);
}
