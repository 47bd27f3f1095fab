/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelPool;
import io.paritas.inference.folded.FoldedModel;
import java.nio.FloatBuffer;
import java.util.Optional;
import java.util.function.Supplier;

/** Predicts batches of other executors with the models that are loaded here. Thread-safe. */
public final class Auditor {
    private final ModelPool pool;

    /** An auditor with the models of a pool. */
    public Auditor(ModelPool pool) {
        this.pool = pool;
    }

    /**
     * Predicts a batch.
     *
     * @return the predictions; empty if the model is not loaded here, or fails
     */
    public Optional<float[]> predict(String model, int fold, int rows, float[] inputs) {
        if (CodedUnits.isOf(model)) {
            return CodedUnits.make(model, inputs);
        }
        Optional<ModelPool.Lease> lease = pool.find(model);
        if (lease.isEmpty()) {
            return Optional.empty();
        }
        Model leased = lease.get().model();
        return predict(() -> fold > 1 ? new FoldedModel(leased, fold) : leased, rows, inputs);
    }

    /** Empty, too, if the model is closed meanwhile, or off-heap memory is short; the heap is sound then. */
    static Optional<float[]> predict(Supplier<Model> leased, int rows, float[] inputs) {
        try (Model loaded = leased.get()) {
            FloatBuffer in = Model.direct(inputs.length).put(inputs).flip();
            float[] outputs = new float[Math.multiplyExact(rows, loaded.output().size())];
            FloatBuffer out = Model.direct(outputs.length);
            loaded.predict(rows, in, out);
            out.flip().get(outputs);
            return Optional.of(outputs);
        } catch (ModelException | IllegalArgumentException | IllegalStateException | OutOfMemoryError e) {
            return Optional.empty();
        }
    }
}
