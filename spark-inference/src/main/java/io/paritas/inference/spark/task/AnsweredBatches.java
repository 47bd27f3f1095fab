/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Answered batches, and what is to be done when the last one is taken. */
final class AnsweredBatches implements Iterator<Answered> {
    private final Iterator<Answered> answered;
    private Optional<Runnable> end;

    private AnsweredBatches(Iterator<Answered> answered, Runnable end) {
        this.answered = answered;
        this.end = Optional.of(end);
    }

    /** Answers batches one by one. */
    static Iterator<Answered> of(Iterator<Batch> batches, Function<Batch, Answers> answer) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return batches.hasNext();
            }

            @Override
            public Answered next() {
                Batch batch = batches.next();
                return new Answered(batch, answer.apply(batch));
            }
        };
    }

    /** Does something after the last one, once. */
    static Iterator<Answered> then(Iterator<Answered> answered, Runnable end) {
        return new AnsweredBatches(answered, end);
    }

    /** Keeps a copy of all answers in a block on the way, and gives that to what is to be done at the end. */
    static Iterator<Answered> recorded(Iterator<Answered> answered, Consumer<PredictionStore.Block> end) {
        PredictionStore.Block block = new PredictionStore.Block();
        return then(
                new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return answered.hasNext();
                    }

                    @Override
                    public Answered next() {
                        Answered next = answered.next();
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
    public Answered next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return answered.next();
    }
}
