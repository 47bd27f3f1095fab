/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.Scaling;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Future;

/** Batches with the answers of a model, which is a batch ahead. */
final class Predicted implements Iterator<Answered> {
    private final Iterator<Batch> batches;
    private final Inference inference;
    private final Inputs inputs;
    private final OnError onError;
    private Optional<Pending> ahead = Optional.empty();

    /**
     * What the inputs of the batches are.
     *
     * @param element that they are made of
     * @param weight sum of the weights of the rows that each is the sum of
     * @param scaling to what the model takes
     */
    record Inputs(Element element, double weight, Scaling scaling) {}

    /** A batch that the model has been given, if it has rows for it. */
    private record Pending(Batch batch, int rows, Optional<Future<Inference.Result>> values) {}

    Predicted(Iterator<Batch> batches, Inference inference, Inputs inputs, OnError onError) {
        this.batches = batches;
        this.inference = inference;
        this.inputs = inputs;
        this.onError = onError;
    }

    @Override
    public boolean hasNext() {
        return ahead.isPresent() || batches.hasNext();
    }

    @Override
    public Answered next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Pending current = ahead.orElseGet(() -> start(batches.next()));
        ahead = batches.hasNext() ? Optional.of(start(batches.next())) : Optional.empty();
        return new Answered(current.batch, answers(current));
    }

    private Pending start(Batch batch) {
        int rows = batch.size();
        Optional<Future<Inference.Result>> values = rows == 0
                ? Optional.empty()
                : Optional.of(inference.start(
                        rows,
                        into -> inputs.scaling.apply(
                                inputs.element, batch.inputs().duplicate(), rows, inputs.weight, into)));
        return new Pending(batch, rows, values);
    }

    private Answers answers(Pending pending) {
        if (pending.values.isEmpty()) {
            return new Answers(0, inference.size());
        }
        try {
            return Answers.predicted(inference.size(), inference.finish(pending.values.get()));
        } catch (ModelException e) {
            if (onError == OnError.FAIL) {
                throw e;
            }
            return Answers.unavailable(pending.rows, inference.size(), e.getMessage());
        }
    }
}
