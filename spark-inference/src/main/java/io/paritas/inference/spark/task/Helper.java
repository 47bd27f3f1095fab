/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.Outcome;
import io.paritas.inference.spark.driver.Help;
import io.paritas.inference.spark.task.Metrics.Metric;
import io.paritas.spark.job.Interrupt;
import io.paritas.spark.job.QueryException;
import java.time.Duration;
import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.FetchFailedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a task does for others once its own rows are answered, as long as the coordinator says so ({@link Help}): it waits, or predicts a
 * parity of any segment, or the data of one that nobody has started. Its own rows are answered whatever becomes of that: it does not
 * fail if a model cannot be loaded here, nor for what is wrong with the data of others or with what reads it.
 */
final class Helper {
    private static final Logger LOG = LoggerFactory.getLogger(Helper.class);

    /* Least time between two questions to the driver whether the work is still wanted. */
    private static final long ASK_EVERY_NANOS = Duration.ofMillis(20).toNanos();

    /* Somebody who waits asks so often, and less so the longer it waits: by then it matters less when it hears. */
    private static final long WAIT_MILLIS = 20;
    private static final long WAIT_AT_MOST_MILLIS = 200;

    private final Assignment own;
    private final TaskContext task;
    private final CodingSpec coding;
    private final Metrics metrics;
    private final Queries queries;
    private final Supplier<Inference> deployed;

    /** Opens the batches of any segment. */
    @FunctionalInterface
    interface Queries {
        Iterator<Batch> open(Help.Work wanted);
    }

    /**
     * Creates the help of a task.
     *
     * @param queries opens the batches of others, only if they are wanted
     * @param deployed the deployed model, which stays open
     */
    Helper(Assignment own, Queries queries, Supplier<Inference> deployed) {
        this.own = own;
        this.task = own.task();
        this.coding = own.coding();
        this.metrics = own.plan().metrics();
        this.queries = queries;
        this.deployed = deployed;
    }

    /** Does what is wanted first, and then what the coordinator wants next, until it wants no more. */
    void help(PredictionStore store, Help first) {
        Help next = first;
        int parities = 0;
        long waitingSince = System.nanoTime();
        while (!(next instanceof Help.End end)) {
            if (next instanceof Help.Work wanted) {
                next = tried(store, wanted);
                parities += wanted.segment() == own.segment() && !next.equals(wanted) ? 1 : 0;
                waitingSince = System.nanoTime();
            } else {
                next = later(waitingSince);
            }
        }
        if (end == Help.End.NONE && coding.layout().coded(coding.layout().stripeOf(own.segment()))) {
            metrics.add(Metric.PARITY_SKIPPED, Math.max(0, coding.layout().r() - parities));
        }
    }

    /** Asks again after a while, a tenth of the time so far. */
    private Help later(long since) {
        long start = System.nanoTime();
        long millis = Duration.ofNanos(start - since).toMillis() / 10;
        task.killTaskIfInterrupted();
        try {
            Thread.sleep(Math.min(WAIT_AT_MOST_MILLIS, Math.max(WAIT_MILLIS, millis)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            task.killTaskIfInterrupted();
            throw new IllegalStateException("the task was interrupted while it waited for others of its stripe", e);
        } finally {
            metrics.add(Metric.WAIT_TIME, System.nanoTime() - start);
        }
        return own.coordinator().help();
    }

    private Help tried(PredictionStore store, Help.Work wanted) {
        try {
            return wanted instanceof Help.Parity parity ? parity(store, parity) : data(store, wanted);
        } catch (QueryException e) { // of a row, which fails the task of its segment as well
            return e.getCause() instanceof ModelException ? none(wanted, e.getMessage()) : Help.End.NONE;
        } catch (ModelException e) {
            return none(wanted, e.getMessage());
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            task.killTaskIfInterrupted();
            if (isForSpark(e)) {
                throw e;
            }
            return none(wanted, e.toString());
        }
    }

    private static Help none(Help.Work wanted, String reason) {
        LOG.warn("Paritas: segment {} gets no help from this task: {}", wanted.segment(), reason);
        return Help.End.NONE;
    }

    /** Whether Spark has to see why a task ends: it computes lost outputs again, and ends what is killed. */
    private boolean isForSpark(Exception reason) {
        return reason instanceof FetchFailedException
                || reason instanceof TaskKilledException
                || Interrupt.caused(reason)
                || task.fetchFailed().isDefined();
    }

    private Help data(PredictionStore store, Help.Work wanted) {
        PredictedBatches.Inputs format =
                PredictedBatches.Inputs.of(own.plan().rows().reader());
        return predicted(store, wanted, queries.open(wanted), own.plan().deployed(), deployed.get(), format);
    }

    private Help parity(PredictionStore store, Help.Parity wanted) {
        Iterator<Batch> batches = queries.open(wanted); // before a model is loaded for what cannot be read
        ModelSource source = coding.models().get(wanted.number());
        PredictedBatches.Inputs format =
                ParityQueries.inputs(coding, own.plan().rows().reader(), wanted.number());
        try (Inference model = new Inference(source, task, metrics)) {
            return predicted(store, wanted, batches, source, model, format);
        }
    }

    /** Predicts batches and keeps the predictions, unless something else is wanted meanwhile; returns what is wanted next. */
    private Help predicted(
            PredictionStore store,
            Help.Work wanted,
            Iterator<Batch> batches,
            ModelSource source,
            Inference model,
            PredictedBatches.Inputs format) {
        boolean isParity = wanted instanceof Help.Parity;
        Iterator<AnsweredBatch> predicted = RememberedBatches.of(
                batches, opened -> PredictedBatches.dispensable(opened, model, format), format, coding, source, store);
        PredictionStore.Block block = new PredictionStore.Block();
        long askedAt = System.nanoTime();
        while (predicted.hasNext()) {
            task.killTaskIfInterrupted();
            AnsweredBatch answered = predicted.next();
            Answers answers = answered.answers();
            if (isParity) {
                answers = answers.of(answered.batch().shape());
                metrics.add(Metric.PARITY_COMPUTED, 1);
            } else if (answers.count(Outcome.UNAVAILABLE) > 0) {
                return Help.End.NONE; // its own task may have more memory
            }
            block.add(answered.batch().group(), answers);
            if (System.nanoTime() - askedAt > ASK_EVERY_NANOS) {
                Help next = own.coordinator().help();
                if (!next.equals(wanted)) {
                    return next;
                }
                askedAt = System.nanoTime();
            }
        }
        return store.keep(store.made(wanted), block, () -> own.coordinator().made(wanted));
    }
}
