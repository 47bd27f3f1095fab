/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.spark.driver.CoordinatorClient;
import io.paritas.inference.spark.driver.Help;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.inference.spark.task.Metrics.Metric;
import io.paritas.spark.job.QueryException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;

/**
 * An attempt to answer a segment. It asks the coordinator how, does so, and keeps the predictions for other tasks. Then it does
 * what the coordinator says for others ({@link Helper}).
 */
final class SegmentTask {
    private static final double MILLIS = 1e3;

    private final TaskContext task;
    private final int segment;
    private final PredictionPlan plan;
    private final CodingSpec coding;
    private final CoordinatorClient coordinator;
    private final Metrics metrics;
    private final Supplier<Iterator<Batch>> data;
    private final Helper helper;
    private Inference deployed;

    /**
     * Creates an attempt.
     *
     * @param data opens the segment's batches of data, after the driver's instruction
     * @param queries opens the batches of others, only if they are wanted
     */
    SegmentTask(Assignment own, Supplier<Iterator<Batch>> data, Helper.Queries queries) {
        this.task = own.task();
        this.segment = own.segment();
        this.plan = own.plan();
        this.coding = own.coding();
        this.coordinator = own.coordinator();
        this.metrics = plan.metrics();
        this.data = data;
        this.helper = new Helper(own, queries, this::deployed);
    }

    /** Answers the segment's data. The end of the iterator comes only after the work for other segments is done. */
    Iterator<AnsweredBatch> answer() {
        boolean[] failed = new boolean[1];
        task.addTaskFailureListener((TaskFailureListener) (context, error) -> failed[0] = true);
        task.addTaskCompletionListener((TaskCompletionListener) context -> {
            if (failed[0]) {
                coordinator.failed();
            } else {
                coordinator.succeeded();
            }
        });
        Instruction instruction = coordinator.start();
        while (true) {
            try {
                return AnsweredBatches.then(answer(instruction), this::close);
            } catch (BlocksLostException e) {
                instruction = coordinator.lost(e.place());
            }
        }
    }

    private Iterator<AnsweredBatch> answer(Instruction instruction) throws BlocksLostException {
        PredictionStore store = new PredictionStore(instruction.blocks(), coding.layout());
        return switch (instruction.mode()) {
            case COMPUTE -> compute(store);
            case DECODE -> decode(store, instruction);
            case FETCH_COMPUTED -> fetch(store, store.computed(segment), () -> goOn(store, coordinator.computed()));
            case FETCH_DECODED -> fetch(store, store.reconstructed(segment), coordinator::decoded);
            case GIVE_UP -> giveUp();
        };
    }

    private Iterator<AnsweredBatch> compute(PredictionStore store) {
        Iterator<AnsweredBatch> predicted =
                RememberedBatches.of(data.get(), this::predict, inputs(), coding, plan.deployed(), store);
        return AnsweredBatches.recorded(predicted, block -> {
            metrics.add(Metric.SEGMENTS_COMPUTED, 1);
            Supplier<Help> tell = block.isEmpty() ? coordinator::foundNone : coordinator::computed;
            goOn(store, store.keep(store.computed(segment), block, tell));
        });
    }

    /** The segment's data is answered and kept: does what is wanted of it for others. */
    private void goOn(PredictionStore store, Help first) {
        helper.help(store, first);
        if (first == Help.End.NONE) {
            check(store);
        }
    }

    /** This segment was the last one: what was computed for it meanwhile can be compared. */
    private void check(PredictionStore store) {
        int stripe = coding.layout().stripeOf(segment);
        RecentBatches recent = Screens.current().recent();
        if (recent.isOn() && coding.bound().isKnown() && coding.layout().coded(stripe) && store.isOpen()) {
            new StripeCheck(coding, store).run(stripe, recent);
        }
    }

    private Iterator<AnsweredBatch> decode(PredictionStore store, Instruction instruction) throws BlocksLostException {
        long start = System.nanoTime();
        Reconstruction reconstruction = new Reconstruction(coding, segment, instruction, store);
        metrics.add(Metric.WAIT_TIME, System.nanoTime() - start);
        Iterator<AnsweredBatch> decoded = AnsweredBatches.of(data.get(), batch -> {
            task.killTaskIfInterrupted();
            Answers answers = reconstruction.decode(batch, plan.rows().outputs());
            if (answers.count(Outcome.UNAVAILABLE) > 0) {
                answers.fill(predict(List.of(batch).iterator()).next().answers());
            }
            return answers;
        });
        return AnsweredBatches.recorded(decoded, block -> {
            metrics.add(Metric.SEGMENTS_RECONSTRUCTED, 1);
            store.keep(store.reconstructed(segment), block, coordinator::decoded);
        });
    }

    private Iterator<AnsweredBatch> fetch(PredictionStore store, int index, Runnable end) throws BlocksLostException {
        int place = coding.layout().placeOf(segment);
        Map<Long, Answers> answers = store.get(index).orElseThrow(() -> new BlocksLostException(place));
        metrics.add(Metric.SEGMENTS_FETCHED, 1);
        return AnsweredBatches.then(
                AnsweredBatches.of(data.get(), batch -> {
                    Answers kept = answers.get(batch.group());
                    return kept == null
                            ? predict(List.of(batch).iterator()).next().answers()
                            : kept;
                }),
                end);
    }

    private Iterator<AnsweredBatch> giveUp() {
        String reason = "the deadline of " + coding.late().deadline().toMillis() / MILLIS
                + " s has passed, and too little is predicted to reconstruct it";
        if (plan.rows().onError() == OnError.FAIL) {
            throw new QueryException(reason + ": allow more time with the option deadline, or keep such rows"
                    + " without a prediction with onError=null or onError=column");
        }
        return AnsweredBatches.of(
                data.get(),
                batch -> Answers.unavailable(batch.size(), plan.rows().outputs(), reason));
    }

    private Iterator<AnsweredBatch> predict(Iterator<Batch> batches) {
        return PredictedBatches.forUser(
                batches, deployed(), inputs(), plan.rows().onError());
    }

    private Inference deployed() {
        deployed = deployed == null ? new Inference(plan.deployed(), task, metrics) : deployed;
        return deployed;
    }

    private PredictedBatches.Inputs inputs() {
        return PredictedBatches.Inputs.of(plan.rows().reader());
    }

    /** The task may go on with other segments: it keeps nothing for this one. */
    private void close() {
        if (deployed != null) {
            deployed.close();
            deployed = null;
        }
    }
}
