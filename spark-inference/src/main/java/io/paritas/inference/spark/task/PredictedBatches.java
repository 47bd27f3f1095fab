/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.DeviceLostException;
import io.paritas.inference.ModelException;
import io.paritas.inference.StoredRows;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.input.Scaling;
import io.paritas.inference.spark.settings.OnError;
import java.nio.FloatBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/** Batches with the answers of a model, which works one batch ahead. */
final class PredictedBatches implements Iterator<AnsweredBatch> {
    private final Iterator<Batch> batches;
    private final Inference inference;
    private final Inputs inputs;
    private final Predicate<ModelException> fatal;
    private Optional<Pending> ahead = Optional.empty();

    /**
     * The format of the batches' inputs.
     *
     * @param element type of the values
     * @param weight for rows that are weighted sums, the sum of the weights; 1 for plain rows
     * @param scaling scaling of the values for the model
     */
    record Inputs(Element element, double weight, Scaling scaling) {
        /** Of rows as a reader reads them. */
        static Inputs of(RowReader reader) {
            return new Inputs(reader.element(), 1, reader.scaling());
        }

        Inference.Rows of(Batch batch) {
            int rows = batch.size();
            return new Inference.Rows() {
                @Override
                public void scaleInto(FloatBuffer room) {
                    scaling.apply(element, batch.inputs().duplicate(), rows, weight, room);
                }

                @Override
                public Optional<StoredRows> stored() {
                    return scaling.stored(element, batch.inputs(), rows, weight);
                }
            };
        }
    }

    /** A batch that the model works on; {@code values} is empty if it has no rows for the model. */
    private record Pending(Batch batch, int rows, Optional<Future<Inference.Result>> values) {}

    private PredictedBatches(
            Iterator<Batch> batches, Inference inference, Inputs inputs, Predicate<ModelException> fatal) {
        this.batches = batches;
        this.inference = inference;
        this.inputs = inputs;
        this.fatal = fatal;
    }

    /** Batches for the user. A lost device fails the task whatever the user wants of errors: another executor can predict the rows. */
    static PredictedBatches forUser(Iterator<Batch> batches, Inference inference, Inputs inputs, OnError onError) {
        return new PredictedBatches(
                batches,
                inference,
                inputs,
                failure -> onError == OnError.FAIL || DeviceLostException.isCauseOf(failure));
    }

    /** Batches that others can do without: whatever fails is unavailable. */
    static PredictedBatches dispensable(Iterator<Batch> batches, Inference inference, Inputs inputs) {
        return new PredictedBatches(batches, inference, inputs, failure -> false);
    }

    @Override
    public boolean hasNext() {
        return ahead.isPresent() || batches.hasNext();
    }

    @Override
    public AnsweredBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Pending current = ahead.orElseGet(() -> start(batches.next()));
        ahead = batches.hasNext() ? Optional.of(start(batches.next())) : Optional.empty();
        return new AnsweredBatch(current.batch, answers(current));
    }

    private Pending start(Batch batch) {
        int rows = batch.size();
        Optional<Future<Inference.Result>> values =
                rows == 0 ? Optional.empty() : Optional.of(inference.start(rows, inputs.of(batch)));
        return new Pending(batch, rows, values);
    }

    private Answers answers(Pending pending) {
        if (pending.values.isEmpty()) {
            return new Answers(0, inference.size());
        }
        try {
            return Answers.predicted(inference.size(), inference.finish(pending.values.get()));
        } catch (ModelException e) {
            if (fatal.test(e)) {
                throw e;
            }
            return Answers.unavailable(pending.rows, inference.size(), e.getMessage());
        }
    }
}
