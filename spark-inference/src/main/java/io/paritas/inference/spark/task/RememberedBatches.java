/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Iterator;
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
        this.recent = RecentBatches.current();
    }

    /** The same batches; remembered if groups are compared. */
    static Iterator<AnsweredBatch> of(
            Iterator<AnsweredBatch> predicted,
            PredictedBatches.Inputs format,
            CodingSpec coding,
            ModelSource model,
            PredictionStore store) {
        boolean on = coding.bound().isKnown()
                && store.isOpen()
                && RecentBatches.current().isOn();
        return on ? new RememberedBatches(predicted, format, coding, model.poolName(), store.id()) : predicted;
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
            ByteBuffer raw = batch.inputs().duplicate();
            ByteBuffer inputs = coding.layout().placement() == Placement.SEPARATE ? copy(raw) : raw;
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

    /** Their memory is used for the next batch. */
    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    private float[] scaled(ByteBuffer inputs, int rows) {
        FloatBuffer values = FloatBuffer.allocate(rows * size);
        format.scaling().apply(format.element(), inputs.duplicate(), rows, format.weight(), values);
        return values.array();
    }
}
