/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A network ready to run. Buffer 0 gets the input; each step fills another one than it reads. Immutable.
 *
 * @param input input of one row
 * @param output output of one row
 * @param steps the steps, in an order in which they can run
 * @param buffers number of buffers
 * @param result number of the buffer that has the output after the last step
 */
record Network(TensorSpec input, TensorSpec output, List<NetworkStep> steps, int buffers, int result) {
    /** An index of an array is an int. */
    private static final int MOST_VALUES = Integer.MAX_VALUE - 8;

    /** Refuses a batch of which a layer has more values than an array can hold. */
    void requireRoom(int rows) {
        int widest = IntStream.concat(IntStream.of(input.size()), steps.stream().mapToInt(NetworkStep::size))
                .max()
                .getAsInt();
        if ((long) rows * widest > MOST_VALUES) {
            throw new ModelException("a batch must have at most " + MOST_VALUES / widest
                    + " rows, because a layer of the protected model has " + widest + " values a row, got " + rows
                    + " rows: choose smaller batches");
        }
    }

    /** The convolutions and linear layers, in order. */
    List<LinearLayer> linear() {
        return steps.stream()
                .filter(step -> step.linear() != null)
                .map(NetworkStep::linear)
                .toList();
    }
}
