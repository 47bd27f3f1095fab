/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.Messages;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;

/**
 * An attempt to answer a unit: asks the coordinator how, does it, keeps the predictions for others, and goes on with the
 * unit's parity for as long as others of the stripe are out.
 */
final class UnitTask {
    /* Not more often than this is the driver asked whether parity is still needed. */
    private static final long ASK_EVERY_NANOS = Duration.ofMillis(20).toNanos();

    private static final double NANOS = 1e9;

    private final TaskContext task;
    private final int unit;
    private final PredictionPlan plan;
    private final Coding coding;
    private final Messages messages;
    private final Metrics metrics;
    private final Supplier<Iterator<Batch>> data;
    private final IntFunction<Iterator<Batch>> parities;
    private Inference deployed;

    /**
     * An attempt.
     *
     * @param data the unit's batches, asked for once the driver has said what is known
     * @param parities its batches of each parity, read only if they are needed
     */
    UnitTask(
            TaskContext task,
            int unit,
            PredictionPlan plan,
            Coding coding,
            Messages messages,
            Supplier<Iterator<Batch>> data,
            IntFunction<Iterator<Batch>> parities) {
        this.task = task;
        this.unit = unit;
        this.plan = plan;
        this.coding = coding;
        this.messages = messages;
        this.metrics = plan.metrics();
        this.data = data;
        this.parities = parities;
    }

    /** The answers to the unit's data. Taking the last one takes as long as what is done for the others. */
    Iterator<Answered> answer() {
        boolean[] failed = new boolean[1];
        task.addTaskFailureListener((TaskFailureListener) (context, error) -> failed[0] = true);
        task.addTaskCompletionListener((TaskCompletionListener) context -> messages.end(!failed[0]));
        Instruction instruction = waiting(messages::start);
        while (true) {
            try {
                return answer(instruction);
            } catch (BlocksLostException e) {
                instruction = waiting(() -> messages.lost(e.place()));
            }
        }
    }

    private Iterator<Answered> answer(Instruction instruction) throws BlocksLostException {
        PredictionStore store = new PredictionStore(instruction.blocks(), coding.layout());
        return switch (instruction.mode()) {
            case COMPUTE -> compute(store);
            case DECODE -> decode(store, instruction);
            case FETCH_COMPUTED -> fetch(store, store.computed(unit), () -> goOn(store, waiting(messages::computed)));
            case FETCH_DECODED -> fetch(store, store.reconstructed(unit), () -> waiting(messages::decoded));
            case GIVE_UP -> giveUp();
        };
    }

    private Iterator<Answered> compute(PredictionStore store) {
        return AnsweredBatches.recorded(predict(data.get()), block -> {
            metrics.add(Metric.UNITS_COMPUTED, 1);
            goOn(store, keep(store, store.computed(unit), block, messages::computed));
        });
    }

    /** Keeps a block, and says so; if the execution is over, it is kept for nobody. */
    private int keep(PredictionStore store, int index, PredictionStore.Block block, Callable<Integer> tell) {
        if (!store.isOpen()) {
            return Messages.OVER;
        }
        store.put(index, block);
        int answer = waiting(tell);
        if (answer == Messages.OVER) {
            store.remove(index);
        }
        return answer;
    }

    /** Computes parities as long as the coordinator wants one. */
    private void goOn(PredictionStore store, int first) {
        int next = first;
        int last = -1;
        while (next >= 0) {
            last = next;
            next = parity(store, next);
        }
        boolean coded = coding.layout().coded(coding.layout().stripeOf(unit));
        metrics.add(
                Metric.PARITY_SKIPPED,
                coded && next == Messages.NONE ? coding.layout().r() - 1 - last : 0);
    }

    /** Computes a parity, unless it is no longer needed; returns which is needed next. */
    private int parity(PredictionStore store, int parity) {
        PredictionStore.Block block = new PredictionStore.Block();
        Predicted predicted = new Predicted(
                parities.apply(parity),
                open(coding.models().get(parity)),
                ParityQueries.inputs(coding, plan.rows().reader(), parity),
                OnError.NULL);
        long askedAt = System.nanoTime();
        while (predicted.hasNext()) {
            task.killTaskIfInterrupted();
            Answered answered = predicted.next();
            block.add(
                    answered.batch().group(),
                    answered.answers().of(answered.batch().shape()));
            metrics.add(Metric.PARITY_COMPUTED, 1);
            if (System.nanoTime() - askedAt > ASK_EVERY_NANOS) {
                int needed = waiting(messages::nextParity);
                if (needed != parity) {
                    return needed;
                }
                askedAt = System.nanoTime();
            }
        }
        return keep(store, store.parity(unit, parity), block, () -> messages.parity(parity + 1));
    }

    private Iterator<Answered> decode(PredictionStore store, Instruction instruction) throws BlocksLostException {
        long start = System.nanoTime();
        Reconstruction reconstruction = new Reconstruction(coding, unit, instruction, store);
        metrics.add(Metric.WAIT_TIME, System.nanoTime() - start);
        Iterator<Answered> decoded = AnsweredBatches.of(data.get(), batch -> {
            task.killTaskIfInterrupted();
            Answers answers = reconstruction.decode(batch, plan.rows().outputs());
            if (answers.count(Outcome.UNAVAILABLE) > 0) {
                answers.fill(predict(List.of(batch).iterator()).next().answers());
            }
            return answers;
        });
        return AnsweredBatches.recorded(decoded, block -> {
            metrics.add(Metric.UNITS_RECONSTRUCTED, 1);
            keep(store, store.reconstructed(unit), block, messages::decoded);
        });
    }

    private Iterator<Answered> fetch(PredictionStore store, int index, Runnable end) throws BlocksLostException {
        int place = coding.layout().placeOf(unit);
        Map<Long, Answers> answers = store.get(index).orElseThrow(() -> new BlocksLostException(place));
        metrics.add(Metric.UNITS_FETCHED, 1);
        return AnsweredBatches.then(
                AnsweredBatches.of(data.get(), batch -> {
                    Answers kept = answers.get(batch.group());
                    return kept == null
                            ? predict(List.of(batch).iterator()).next().answers()
                            : kept;
                }),
                end);
    }

    private Iterator<Answered> giveUp() {
        String reason = "the deadline of " + coding.deadlineNanos() / NANOS
                + " s has passed, and too little is predicted to reconstruct it";
        if (plan.rows().onError() == OnError.FAIL) {
            throw new IllegalStateException(reason + ": allow more time with the option deadline, or keep such rows"
                    + " without a prediction with onError=null or onError=column");
        }
        return AnsweredBatches.of(
                data.get(),
                batch -> Answers.unavailable(batch.size(), plan.rows().outputs(), reason));
    }

    private Iterator<Answered> predict(Iterator<Batch> batches) {
        RowReader reader = plan.rows().reader();
        Predicted.Inputs inputs = new Predicted.Inputs(reader.element(), 1, reader.scaling());
        deployed = deployed == null ? open(plan.deployed()) : deployed;
        return new Predicted(batches, deployed, inputs, plan.rows().onError());
    }

    private Inference open(ModelSource source) {
        Inference inference = new Inference(source, task, metrics);
        task.addTaskCompletionListener((TaskCompletionListener) context -> inference.close());
        return inference;
    }

    private <T> T waiting(Callable<T> ask) {
        long start = System.nanoTime();
        try {
            return ask.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            metrics.add(Metric.WAIT_TIME, System.nanoTime() - start);
        }
    }
}
