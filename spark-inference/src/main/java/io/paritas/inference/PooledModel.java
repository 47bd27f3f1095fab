/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.nio.FloatBuffer;
import java.util.function.Supplier;

/**
 * A model that leases itself from a {@link ModelPool} for each prediction. Between predictions the pool may unload it. For callers that
 * predict rarely and have no point at which to close it: closing does nothing. Thread-safe.
 */
@PublicApi
public final class PooledModel implements Model {
    private final Supplier<Model> lease;
    private final TensorSpec input;
    private final TensorSpec output;
    private final Device device;
    private final Hardware hardware;

    /**
     * Leases the model once, which loads it if necessary.
     *
     * @param lease gives the model through a lease of its own; closing it ends the lease
     */
    public PooledModel(Supplier<Model> lease) {
        this.lease = lease;
        try (Model model = lease.get()) {
            this.input = model.input();
            this.output = model.output();
            this.device = model.device();
            this.hardware = model.hardware();
        }
    }

    /** A model of the {@linkplain ModelPool#shared shared} pool. */
    public static PooledModel shared(ModelFile file, ModelOptions options) {
        return new PooledModel(() -> ModelPool.shared().acquire(file, options).model());
    }

    @Override
    public TensorSpec input() {
        return input;
    }

    @Override
    public TensorSpec output() {
        return output;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public Hardware hardware() {
        return hardware;
    }

    @Override
    public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        try (Model model = lease.get()) {
            model.predict(rows, inputs, outputs);
        }
    }

    @Override
    public void close() {}
}
