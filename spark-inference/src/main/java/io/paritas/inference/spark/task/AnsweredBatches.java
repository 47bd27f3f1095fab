/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Answered batches, and an action that runs once after the last of them. */
final class AnsweredBatches implements Iterator<AnsweredBatch> {
    private final Iterator<AnsweredBatch> answered;
    private Optional<Runnable> end;

    private AnsweredBatches(Iterator<AnsweredBatch> answered, Runnable end) {
        this.answered = answered;
        this.end = Optional.of(end);
    }

    /** Answers batches one by one. */
    static Iterator<AnsweredBatch> of(Iterator<Batch> batches, Function<Batch, Answers> answer) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return batches.hasNext();
            }

            @Override
            public AnsweredBatch next() {
                Batch batch = batches.next();
                return new AnsweredBatch(batch, answer.apply(batch));
            }
        };
    }

    /** Runs an action after the last batch, once. */
    static Iterator<AnsweredBatch> then(Iterator<AnsweredBatch> answered, Runnable end) {
        return new AnsweredBatches(answered, end);
    }

    /** Copies all answers into a block on the way, and passes it to an action after the last batch. */
    static Iterator<AnsweredBatch> recorded(Iterator<AnsweredBatch> answered, Consumer<PredictionStore.Block> end) {
        PredictionStore.Block block = new PredictionStore.Block();
        return then(
                new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return answered.hasNext();
                    }

                    @Override
                    public AnsweredBatch next() {
                        AnsweredBatch next = answered.next();
                        block.add(next.batch().group(), next.answers());
                        return next;
                    }
                },
                () -> end.accept(block));
    }

    @Override
    public boolean hasNext() {
        if (answered.hasNext()) {
            return true;
        }
        Optional<Runnable> once = end;
        end = Optional.empty();
        once.ifPresent(Runnable::run);
        return false;
    }

    @Override
    public AnsweredBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return answered.next();
    }
}
