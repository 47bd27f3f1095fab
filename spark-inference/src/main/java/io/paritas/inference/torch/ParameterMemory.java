/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.global.torch;

/**
 * Native memory for the parameters of a network that are kept elsewhere and come with each call: one copy fills it, and
 * tensors read their parts in place. For one thread at a time.
 */
public final class ParameterMemory implements AutoCloseable {
    private final FloatPointer memory;

    /** @param count float32 values */
    public ParameterMemory(int count) {
        try (Scope scope = Scope.open()) {
            memory = new FloatPointer(count);
            memory.retainReference();
        }
    }

    /** Copies all values, and so changes every tensor over a part. */
    public void set(float[] values) {
        memory.put(values, 0, values.length);
    }

    /** A tensor over the values from an offset on; it must not be used when this is closed. */
    public Tensor tensor(int offset, long... shape) {
        return new Tensor(torch.from_blob(memory.getPointer(offset), shape));
    }

    @Override
    public void close() {
        memory.close();
    }
}
