/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.Outcome;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.spark.driver.CoordinatorClient;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.NextParity;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt to answer a segment. It asks the coordinator how, does so, and keeps the predictions for other tasks. Then it does
 * what the coordinator says ({@link NextParity}): it ends, waits, or computes a parity of any segment, or the data of one that
 * nobody has started.
 */
final class SegmentTask {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentTask.class);

    /* Least time between two questions to the driver whether parity is still needed. */
    private static final long ASK_EVERY_NANOS = Duration.ofMillis(20).toNanos();

    /* Somebody who waits asks so often, and less so the longer it waits: by then it matters less when it hears. */
    private static final long WAIT_MILLIS = 20;
    private static final long WAIT_AT_MOST_MILLIS = 200;

    private static final double MILLIS = 1e3;

    private final TaskContext task;
    private final int segment;
    private final PredictionPlan plan;
    private final CodingSpec coding;
    private final CoordinatorClient coordinator;
    private final Metrics metrics;
    private final Supplier<Iterator<Batch>> data;
    private final Parities parities;
    private Inference deployed;

    /** Opens the batches of a parity, or of the data, of any segment. */
    @FunctionalInterface
    interface Parities {
        Iterator<Batch> open(NextParity wanted);
    }

    /**
     * Creates an attempt.
     *
     * @param data opens the segment's batches of data, after the driver's instruction
     * @param parities opens batches of parities, only if they are needed
     */
    SegmentTask(
            TaskContext task,
            int segment,
            PredictionPlan plan,
            CodingSpec coding,
            CoordinatorClient coordinator,
            Supplier<Iterator<Batch>> data,
            Parities parities) {
        this.task = task;
        this.segment = segment;
        this.plan = plan;
        this.coding = coding;
        this.coordinator = coordinator;
        this.metrics = plan.metrics();
        this.data = data;
        this.parities = parities;
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
        Instruction instruction = waiting(coordinator::start);
        while (true) {
            try {
                return AnsweredBatches.then(answer(instruction), this::close);
            } catch (BlocksLostException e) {
                instruction = waiting(() -> coordinator.lost(e.place()));
            }
        }
    }

    private Iterator<AnsweredBatch> answer(Instruction instruction) throws BlocksLostException {
        PredictionStore store = new PredictionStore(instruction.blocks(), coding.layout());
        return switch (instruction.mode()) {
            case COMPUTE -> compute(store);
            case DECODE -> decode(store, instruction);
            case FETCH_COMPUTED ->
                fetch(store, store.computed(segment), () -> goOn(store, waiting(coordinator::computed)));
            case FETCH_DECODED -> fetch(store, store.reconstructed(segment), () -> waiting(coordinator::decoded));
            case GIVE_UP -> giveUp();
        };
    }

    private Iterator<AnsweredBatch> compute(PredictionStore store) {
        Iterator<AnsweredBatch> predicted =
                RememberedBatches.of(data.get(), this::predict, inputs(), coding, plan.deployed(), store);
        return AnsweredBatches.recorded(predicted, block -> {
            metrics.add(Metric.SEGMENTS_COMPUTED, 1);
            Supplier<NextParity> tell = block.isEmpty() ? coordinator::foundNone : coordinator::computed;
            goOn(store, keep(store, store.computed(segment), block, tell));
        });
    }

    /**
     * Keeps a block and tells the coordinator; drops the block if the execution is over. Of one that this executor does not take nobody
     * hears, and the task does no more for others.
     */
    private NextParity keep(PredictionStore store, int index, PredictionStore.Block block, Supplier<NextParity> tell) {
        if (!store.isOpen() || !store.put(index, block)) {
            return NextParity.OVER;
        }
        NextParity next = waiting(tell);
        if (next.equals(NextParity.OVER)) {
            store.remove(index);
        }
        return next;
    }

    /** Computes parities of this segment and others as long as the coordinator wants one, and waits as long as it says so. */
    private void goOn(PredictionStore store, NextParity first) {
        NextParity next = first;
        int own = 0;
        long waitingSince = System.nanoTime();
        while (next.isNeeded() || next.equals(NextParity.WAIT)) {
            if (next.isNeeded()) {
                NextParity made = next;
                next = help(store, made);
                own += made.segment() == segment && !next.equals(made) ? 1 : 0;
                waitingSince = System.nanoTime();
            } else {
                long since = waitingSince;
                next = waiting(() -> later(since));
            }
        }
        if (first.equals(NextParity.NONE)) {
            check(store);
        }
        boolean coded = coding.layout().coded(coding.layout().stripeOf(segment));
        metrics.add(
                Metric.PARITY_SKIPPED,
                coded && next.equals(NextParity.NONE)
                        ? Math.max(0, coding.layout().r() - own)
                        : 0);
    }

    /** Asks again after a while, a tenth of the time so far. */
    private NextParity later(long since) {
        long millis = Duration.ofNanos(System.nanoTime() - since).toMillis() / 10;
        task.killTaskIfInterrupted();
        try {
            Thread.sleep(Math.min(WAIT_AT_MOST_MILLIS, Math.max(WAIT_MILLIS, millis)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            task.killTaskIfInterrupted();
            throw new IllegalStateException("the task was interrupted while it waited for others of its stripe", e);
        }
        return coordinator.nextParity();
    }

    /** This segment was the last one: what was computed for it meanwhile can be compared. */
    private void check(PredictionStore store) {
        int stripe = coding.layout().stripeOf(segment);
        RecentBatches recent = RecentBatches.current();
        if (recent.isOn() && coding.bound().isKnown() && coding.layout().coded(stripe) && store.isOpen()) {
            new StripeCheck(coding, store).run(stripe, recent);
        }
    }

    /**
     * Computes a parity, or the data of a segment whose task has not started; returns what is needed next. This task's own rows are
     * answered: it does no more, and does not fail, if a model for it cannot be loaded here. What is wrong with the data of other segments,
     * or with what reads it, is not for this task to say, either.
     */
    private NextParity help(PredictionStore store, NextParity wanted) {
        try {
            return wanted.isData() ? dataOf(store, wanted) : parityOf(store, wanted);
        } catch (IllegalArgumentException e) {
            return NextParity.NONE;
        } catch (ModelException e) {
            return noHelp(wanted, e.getMessage());
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            task.killTaskIfInterrupted();
            if (isForSpark(e)) {
                throw e;
            }
            return noHelp(wanted, e.toString());
        }
    }

    private static NextParity noHelp(NextParity wanted, String reason) {
        LOG.warn("Paritas: segment {} gets no help from this task: {}", wanted.segment(), reason);
        return NextParity.NONE;
    }

    /** Whether Spark has to see why a task ends: it computes lost outputs again, and ends what is killed. */
    private boolean isForSpark(Exception reason) {
        return reason instanceof FetchFailedException
                || reason instanceof TaskKilledException
                || reason instanceof InterruptedException
                || Thread.currentThread().isInterrupted()
                || task.fetchFailed().isDefined();
    }

    /** Predicts the data of a segment whose task has not started; returns what is needed next. */
    private NextParity dataOf(PredictionStore store, NextParity wanted) {
        PredictionStore.Block block = new PredictionStore.Block();
        long askedAt = System.nanoTime();
        Iterator<AnsweredBatch> predicted = RememberedBatches.of(
                parities.open(wanted),
                batches -> PredictedBatches.dispensable(batches, deployed(), inputs()),
                inputs(),
                coding,
                plan.deployed(),
                store);
        while (predicted.hasNext()) {
            task.killTaskIfInterrupted();
            AnsweredBatch answered = predicted.next();
            if (answered.answers().count(Outcome.UNAVAILABLE) > 0) {
                return NextParity.NONE;
            }
            block.add(answered.batch().group(), answered.answers());
            if (System.nanoTime() - askedAt > ASK_EVERY_NANOS) {
                NextParity needed = waiting(coordinator::nextParity);
                if (!needed.equals(wanted)) {
                    return needed;
                }
                askedAt = System.nanoTime();
            }
        }
        return keep(store, store.computed(wanted.segment()), block, () -> coordinator.parity(wanted.segment(), 0));
    }

    /** Computes a parity, unless it is no longer needed; returns which is needed next. */
    private NextParity parityOf(PredictionStore store, NextParity wanted) {
        Iterator<Batch> queries = parities.open(wanted);
        ModelSource source = coding.models().get(wanted.number());
        try (Inference model = new Inference(source, task, metrics)) {
            PredictedBatches.Inputs format =
                    ParityQueries.inputs(coding, plan.rows().reader(), wanted.number());
            return parityOf(
                    store,
                    wanted,
                    RememberedBatches.of(
                            queries,
                            batches -> PredictedBatches.dispensable(batches, model, format),
                            format,
                            coding,
                            source,
                            store));
        }
    }

    private NextParity parityOf(PredictionStore store, NextParity wanted, Iterator<AnsweredBatch> predicted) {
        PredictionStore.Block block = new PredictionStore.Block();
        long askedAt = System.nanoTime();
        while (predicted.hasNext()) {
            task.killTaskIfInterrupted();
            AnsweredBatch answered = predicted.next();
            block.add(
                    answered.batch().group(),
                    answered.answers().of(answered.batch().shape()));
            metrics.add(Metric.PARITY_COMPUTED, 1);
            if (System.nanoTime() - askedAt > ASK_EVERY_NANOS) {
                NextParity needed = waiting(coordinator::nextParity);
                if (!needed.equals(wanted)) {
                    return needed;
                }
                askedAt = System.nanoTime();
            }
        }
        int parity = wanted.number();
        return keep(
                store,
                store.parity(wanted.segment(), parity),
                block,
                () -> coordinator.parity(wanted.segment(), parity + 1));
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
            keep(store, store.reconstructed(segment), block, coordinator::decoded);
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
            throw new IllegalStateException(reason + ": allow more time with the option deadline, or keep such rows"
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
        RowReader reader = plan.rows().reader();
        return new PredictedBatches.Inputs(reader.element(), 1, reader.scaling());
    }

    /** The task may go on with other segments: it keeps nothing for this one. */
    private void close() {
        if (deployed != null) {
            deployed.close();
            deployed = null;
        }
    }

    private <T> T waiting(Supplier<T> ask) {
        long start = System.nanoTime();
        try {
            return ask.get();
        } finally {
            metrics.add(Metric.WAIT_TIME, System.nanoTime() - start);
        }
    }
}
