/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Optional;

/**
 * A loaded model with one float32 input and one float32 output. Thread-safe: any number of threads may predict at once,
 * each with buffers of its own. A prediction depends only on its row, never on its neighbours in the batch.
 *
 * <p>{@link #close} waits for running predictions and frees native memory; later predictions throw
 * {@link IllegalStateException}. Closing twice is harmless.
 */
@PublicApi
public interface Model extends AutoCloseable {

    /** The input of one row. */
    TensorSpec input();

    /** The output of one row. */
    TensorSpec output();

    /** Where the model runs: {@link Device#CPU} or {@link Device#CUDA}. */
    Device device();

    /** The processor or the GPU that computes. */
    default Hardware hardware() {
        return device() == Device.CUDA ? Hardware.UNNAMED_GPU : Hardware.PROCESSOR;
    }

    /**
     * Predicts a batch. Both buffers are direct and in native byte order; their positions advance by what was read and
     * written.
     *
     * @param rows number of rows, at least 1
     * @param inputs at least rows × input().size() values remaining
     * @param outputs room for at least rows × output().size() values
     * @throws IllegalArgumentException if a buffer is not direct, in another byte order or too small, or the outputs are
     *     read-only; nothing is read or written then
     * @throws IllegalStateException if the model is closed
     * @throws ModelException if the engine fails; the positions stay, the content of the outputs is undefined
     */
    void predict(int rows, FloatBuffer inputs, FloatBuffer outputs);

    /** How it takes rows as they are stored; empty if it takes only float32. */
    default Optional<StoredInput> storedInput() {
        return Optional.empty();
    }

    /**
     * Predicts a batch of arrays. Copies twice: for small work and tests.
     *
     * @param inputs a whole number of rows
     * @return rows × output().size() values
     * @throws IllegalArgumentException if the inputs are not a whole number of rows, at least one
     */
    default float[] predict(float[] inputs) {
        int size = input().size();
        if (inputs.length == 0 || inputs.length % size != 0) {
            throw new IllegalArgumentException("a batch must be a whole number of rows of " + size + " values for "
                    + input() + ", got " + inputs.length + " values");
        }
        int rows = inputs.length / size;
        float[] result = new float[Math.multiplyExact(rows, output().size())];
        FloatBuffer outputs = direct(result.length);
        predict(rows, direct(inputs.length).put(inputs).flip(), outputs);
        outputs.flip().get(result);
        return result;
    }

    @Override
    void close();

    /** A new direct buffer in native byte order, as {@link #predict(int, FloatBuffer, FloatBuffer)} needs it. */
    static FloatBuffer direct(int values) {
        return ByteBuffer.allocateDirect(Math.multiplyExact(values, Float.BYTES))
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
    }
}
