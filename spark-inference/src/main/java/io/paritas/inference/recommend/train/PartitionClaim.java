/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.client.OutdatedRowException;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of a task to train on a partition. Spark starts a second task beside the first one if it repeats a stage, as when shuffled
 * samples are lost with an executor: the newest one trains, and those before end.
 *
 * <p>With two phases, servers refuse what a task pushes whose claim is gone. With one phase they refuse nothing: a task looks for its
 * claim some times within a lease, and its successor waits for a lease before it trains. So a batch may be trained twice only if
 * the one before stands still, or its messages are under way, for most of a lease.
 */
final class PartitionClaim {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionClaim.class);
    /** How often a task with one phase looks for its claim within a lease. */
    private static final int LOOKS = 4;

    private static final long PAUSE_MILLIS = 100;

    private final TaskContext context;
    private final ParameterClient client;
    private final long row;
    private final BatchCount.Claim own;
    private final boolean onePhase;
    private final long lease;
    /** When the claim was last seen. */
    private long seen;

    /**
     * @param row of the partition, in the table of committed batches
     * @param application as of a {@link BatchCount.Claim}
     */
    PartitionClaim(
            TaskContext context, ParameterClient client, long row, long application, boolean onePhase, Timing timing) {
        this.context = context;
        this.client = client;
        this.row = row;
        this.own = new BatchCount.Claim(application, context.taskAttemptId());
        this.onePhase = onePhase;
        this.lease = TimeUnit.MILLISECONDS.toNanos(timing.lease());
    }

    /** Claims the partition, and returns the number of its committed batches: from then on, no other task commits one. */
    long take() throws InterruptedException {
        long batches = onePhase ? takeInOnePhase() : takeInTwoPhases();
        // The last of them may be committed where the count is, and not yet elsewhere.
        client.settle();
        return batches;
    }

    private long takeInTwoPhases() throws InterruptedException {
        while (true) {
            BatchCount count = count();
            if (count.claim().isAfter(own)) {
                throw replaced(count);
            }
            try {
                // It also waits for what a task before has left unfinished.
                client.push(
                        List.of(update(count, count.claimedBy(own))),
                        List.of(),
                        List.of(new ExpectedRow(TrainingPlan.COMMITTED, row, count.row())));
                return count.batches();
            } catch (OutdatedRowException e) {
                LOG.debug("another task has committed a batch meanwhile: reads the count again", e);
            }
        }
    }

    private long takeInOnePhase() throws InterruptedException {
        while (true) {
            seen = System.nanoTime();
            BatchCount count = count();
            if (count.claim().isAfter(own)) {
                throw replaced(count);
            } else if (count.claim().equals(own)) {
                return count.batches();
            }
            // A server may fail with it before its parities have it: then it claims once more.
            client.push(List.of(update(count, count.claimedBy(own))), List.of());
            awaitEndOfOthers();
        }
    }

    /** A first attempt has no task before it; one of before a rollback reaches no server any more. */
    private void awaitEndOfOthers() throws InterruptedException {
        long end = System.nanoTime() + lease;
        while (context.stageAttemptNumber() + context.attemptNumber() > 0 && System.nanoTime() < end) {
            context.killTaskIfInterrupted();
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** With one phase, makes sure that no other task has claimed the partition, if that is due. */
    void check() throws InterruptedException {
        if (onePhase && System.nanoTime() - seen >= lease / LOOKS) {
            seen = System.nanoTime();
            BatchCount count = count();
            if (!count.claim().equals(own)) {
                throw replaced(count);
            }
        }
    }

    private BatchCount count() throws InterruptedException {
        return BatchCount.of(client.pullRows(TrainingPlan.COMMITTED, new long[] {row}));
    }

    private RowGradients update(BatchCount from, BatchCount to) {
        return new RowGradients(TrainingPlan.COMMITTED, new long[] {row}, from.updateTo(to));
    }

    /** Returns the update that counts one batch more. */
    RowGradients oneMoreThan(long batches) {
        BatchCount count = new BatchCount(batches, own);
        return update(count, count.oneMore());
    }

    /** Returns what must be so if a batch may be committed after these: this task has the claim. */
    List<ExpectedRow> expected(long batches) {
        return onePhase
                ? List.of()
                : List.of(new ExpectedRow(TrainingPlan.COMMITTED, row, new BatchCount(batches, own).row()));
    }

    /** Returns what ends this task after a push that was refused. */
    RuntimeException refused() throws InterruptedException {
        return replaced(count());
    }

    /**
     * Returns what ends this task. To end as a killed one if its successor runs is no failure, and does not make Spark take the
     * partition for done.
     */
    private RuntimeException replaced(BatchCount count) {
        String why = "only one task may train on partition " + context.partitionId() + ", but task "
                + count.claim().attempt() + " has taken the place of task " + own.attempt()
                + ": this one ends, and has changed nothing since";
        if (count.claim().isAfter(own)) {
            LOG.info(why);
            return new TaskKilledException(why);
        }
        return new IllegalStateException(why);
    }
}
