/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Iterator;
import java.util.function.Function;
import java.util.function.Supplier;

/** Batches that are remembered when they are predicted, because their groups will be compared. */
final class RememberedBatches implements Iterator<AnsweredBatch> {
    private final Iterator<AnsweredBatch> predicted;
    private final PredictedBatches.Inputs format;
    private final int size;
    private final CodingSpec coding;
    private final String model;
    private final int execution;
    private final RecentBatches recent;

    private RememberedBatches(
            Iterator<AnsweredBatch> predicted,
            PredictedBatches.Inputs format,
            CodingSpec coding,
            String model,
            int execution) {
        this.predicted = predicted;
        this.format = format;
        this.size = coding.shape().stream().reduce(1, Math::multiplyExact);
        this.coding = coding;
        this.model = model;
        this.execution = execution;
        this.recent = Screens.current().recent();
    }

    /**
     * Batches with their predictions; remembered if groups are compared. Those that have not crossed an exchange are copied for that before
     * they are predicted: the next one takes their memory.
     *
     * @param predict predicts batches with the model
     */
    static Iterator<AnsweredBatch> of(
            Iterator<Batch> batches,
            Function<Iterator<Batch>, Iterator<AnsweredBatch>> predict,
            PredictedBatches.Inputs format,
            CodingSpec coding,
            ModelSource model,
            PredictionStore store) {
        boolean on = coding.bound().isKnown()
                && store.isOpen()
                && Screens.current().recent().isOn();
        if (!on) {
            return predict.apply(batches);
        }
        boolean valid = coding.layout().placement() != Placement.SEPARATE;
        return new RememberedBatches(
                predict.apply(valid ? batches : Batches.copied(batches)), format, coding, model.poolName(), store.id());
    }

    @Override
    public boolean hasNext() {
        return predicted.hasNext();
    }

    @Override
    public AnsweredBatch next() {
        AnsweredBatch next = predicted.next();
        Batch batch = next.batch();
        Answers answers = next.answers();
        if (answers.rows() > 0) {
            ByteBuffer inputs = batch.inputs().duplicate();
            Supplier<float[]> scaled = () -> scaled(inputs, answers.rows());
            long bytes = inputs.remaining() + (long) Float.BYTES * answers.values().length;
            recent.add(
                    new RecentBatches.Place(execution, batch.group(), batch.slot()),
                    new RecentBatches.Kept(model, answers.rows(), bytes, scaled, answers.values()));
            if (coding.bound().needsInputs()) {
                answers.largestInput(ResidualBound.largest(scaled.get()));
            }
        }
        return next;
    }

    private float[] scaled(ByteBuffer inputs, int rows) {
        FloatBuffer values = FloatBuffer.allocate(rows * size);
        format.scaling().apply(format.element(), inputs.duplicate(), rows, format.weight(), values);
        return values.array();
    }
}
