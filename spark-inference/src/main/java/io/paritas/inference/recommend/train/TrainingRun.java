/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.model.Evaluation;
import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.host.ServerState;
import io.paritas.spark.ecrm.placement.StripePlacement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;

/** The driver of a training: runs one job after another, and observes servers and workers meanwhile. */
final class TrainingRun {
    private static final long LOOK_MILLIS = 20;
    /** How often the first checkpoint is tried where a training needs it. */
    private static final int FIRST_TRIES = 10;
    /** Longest wait for a failed server between two of these tries: so many pauses. */
    private static final int FIRST_WAITS = 120;

    private static final long FIRST_PAUSE_MILLIS = 500;

    private final TrainingPlan plan;
    private final ParameterServers servers;
    private final Reports reports;
    private final Training training;
    private final TrainingListener listener;
    private final Optional<CheckpointPolicy> checkpoints;
    private final ServerWatch watch;
    private final Recorder recorder;
    private final Restart restart = new Restart();
    private final long start = System.nanoTime();
    private int heard;
    private long checkpointed;
    private int batchesOfCheckpoint;
    /** Whether there was a checkpoint: from then on, a folder that cannot be written is an outage and no mistake. */
    private boolean isWritten;

    /** @param interval length of the curve's intervals */
    TrainingRun(
            TrainingPlan plan,
            ParameterServers servers,
            Reports reports,
            Training training,
            TrainingListener listener,
            Optional<CheckpointPolicy> checkpoints,
            Duration interval) {
        this.plan = plan;
        this.servers = servers;
        this.reports = reports;
        this.training = training;
        this.listener = listener;
        this.checkpoints = checkpoints;
        this.watch = new ServerWatch(plan.servers().count(), servers.state(), this::event);
        this.recorder = new Recorder(plan.servers().count(), interval.toNanos());
        reports.recordBy(iteration -> recorder.add(iteration, now()));
    }

    void run(JavaRDD<InternalRow> partitions, Evaluations evaluations) throws InterruptedException {
        if (checkpoints.isPresent() && plan.servers().redundancy().isNone()) {
            // Without redundancy, rows of a server that is lost before the first checkpoint would be lost for good.
            begin(checkpoints.get());
        }
        int epochs = plan.work().epochs();
        int epoch = 0;
        EarlyStop stop = new EarlyStop(evaluations.patience());
        while (epoch < epochs && !stop.isDue()) {
            int before = recorder.batches();
            train(partitions, epoch);
            boolean trained = recorder.batches() > before;
            if (trained) {
                stop.trained(epoch + 1);
            }
            if (!restart.isDue(servers.state().rollbacks())) {
                epoch++;
                event(
                        Kind.EPOCH_TRAINED,
                        "epoch " + epoch + " of " + epochs + (trained ? " is trained" : " was trained before"));
                if ((stop.isTrained(epoch) || epoch == epochs) && evaluations.isDue(epoch, epochs)) {
                    evaluate(evaluations.samples().orElseThrow(), epoch, stop);
                }
            }
            // Also if they went back while the model was evaluated.
            if (restart.isDue(servers.state().rollbacks())) {
                epoch = restart.goBack(servers.state().rollbacks());
                event(Kind.ROLLED_BACK, "all servers have gone back to the last checkpoint");
                stop.forgetAfter(epoch);
            }
        }
        if (epoch < epochs) {
            event(Kind.STOPPED_EARLY, "stopped early: " + stop);
        }
        StripePlacement stripes = plan.spec().stripes();
        long difference = (long) Float.BYTES
                * plan.spec().tables().get(TrainingPlan.EMBEDDINGS).words();
        look();
        training.finish(
                recorder.curve(),
                recorder.metrics(
                        difference,
                        stripes.units() - stripes.k(),
                        servers.state().replaced()),
                restart.rollbacks());
    }

    /** Evaluates the model, unless servers go back to a checkpoint meanwhile: then it is evaluated again. */
    private void evaluate(Dataset<?> samples, int epoch, EarlyStop stop) throws InterruptedException {
        Evaluation.Figures evaluated;
        try {
            evaluated = training.evaluation(samples, restart.rollbacks(), this::look)
                    .figures();
        } catch (IllegalStateException e) {
            if (restart.isDue(servers.state().rollbacks())) {
                return;
            }
            throw e;
        }
        training.evaluated(evaluated);
        stop.evaluated(epoch, evaluated.auc());
        event(Kind.EVALUATED, "evaluated: " + evaluated);
    }

    private void train(JavaRDD<InternalRow> partitions, int epoch) throws InterruptedException {
        ServedState state = new ServedState(servers.location(), restart.rollbacks());
        long application = partitions.context().startTime();
        JavaFutureAction<Void> job =
                partitions.foreachPartitionAsync(new TrainingTask(plan, state, reports.endpoint(), application, epoch));
        try {
            while (!isDone(job)) {
                look();
                if (checkpoints.isPresent() && isDue(checkpoints.get())) {
                    checkpoint(checkpoints.get(), epoch);
                }
            }
        } finally {
            job.cancel(true);
        }
    }

    /** Writes the first checkpoint, again if a server fails meanwhile. */
    private void begin(CheckpointPolicy policy) throws InterruptedException {
        for (int tries = 1; !isWritten; tries++) {
            checkpoint(policy, 0);
            if (!isWritten && tries == FIRST_TRIES) {
                throw new IllegalStateException("a checkpoint must be written before a training without redundancy"
                        + " begins, got " + tries + " failures: see the events of the training");
            }
            for (int waits = 0;
                    !isWritten
                            && waits < FIRST_WAITS
                            && (waits == 0 || !servers.state().isHealthy());
                    waits++) {
                look();
                Thread.sleep(FIRST_PAUSE_MILLIS);
            }
        }
    }

    private boolean isDue(CheckpointPolicy policy) {
        return policy.isDue(Duration.ofNanos(now() - checkpointed), recorder.batches() - batchesOfCheckpoint);
    }

    private void checkpoint(CheckpointPolicy policy, int epoch) throws InterruptedException {
        event(Kind.CHECKPOINT_BEGUN, "a checkpoint is being written");
        try {
            long number = write(policy);
            restart.written(epoch, servers.state().rollbacks());
            isWritten = true;
            event(Kind.CHECKPOINT_WRITTEN, "checkpoint " + number + " is written");
        } catch (ExecutionException e) {
            notWritten(policy, e.getCause());
        }
        checkpointed = now();
        batchesOfCheckpoint = recorder.batches();
    }

    /** Tells of a failure that a later checkpoint may not have, as of a server meanwhile; any other ends the training. */
    private void notWritten(CheckpointPolicy policy, Throwable why) {
        if (why instanceof IOException failure && !isWritten) {
            throw new UncheckedIOException(
                    "cannot write a checkpoint to " + policy.folder() + ": " + failure.getMessage(), failure);
        }
        // The system may have no thread left for the file system's client, or for us.
        boolean passes = why instanceof IOException
                || why instanceof IllegalStateException
                || (why instanceof OutOfMemoryError
                        && isWritten
                        && String.valueOf(why.getMessage()).contains("native thread"));
        if (!passes) {
            throw new IllegalStateException("cannot write a checkpoint to " + policy.folder() + ": " + why, why);
        }
        event(Kind.CHECKPOINT_FAILED, "no checkpoint is written: " + why.getMessage());
    }

    /** Writes a checkpoint, on a thread of its own, and returns its number. */
    private long write(CheckpointPolicy policy) throws ExecutionException, InterruptedException {
        FutureTask<Long> writing = new FutureTask<>(() -> servers.checkpoint(policy.folder(), policy.keep()));
        Thread writer = new Thread(writing, "paritas-checkpoint");
        writer.setDaemon(true);
        try {
            writer.start();
        } catch (OutOfMemoryError e) {
            throw new ExecutionException(e);
        }
        try {
            return await(writing, this::look);
        } finally {
            writer.interrupt();
            writer.join();
        }
    }

    /** Waits for a result, and looks meanwhile. */
    static <T> T await(Future<T> result, Runnable look) throws InterruptedException, ExecutionException {
        while (true) {
            try {
                return result.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                look.run();
            }
        }
    }

    private static boolean isDone(JavaFutureAction<Void> job) throws InterruptedException {
        try {
            job.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "training has failed: " + e.getCause().getMessage(), e.getCause());
        }
    }

    private void look() {
        ServerState state = servers.state();
        watch.look(state);
        int intervals = recorder.endIntervals(now());
        if (intervals > heard) {
            heard = intervals;
            listener.progress(recorder.progress(state));
        }
    }

    private void event(Kind kind, String text) {
        listener.event(recorder.event(kind, text, now()));
    }

    private long now() {
        return System.nanoTime() - start;
    }
}
