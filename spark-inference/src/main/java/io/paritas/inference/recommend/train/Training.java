/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.model.Evaluation;
import io.paritas.inference.recommend.model.TrainedModel;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.job.Serialised;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A trained model on its servers, until this is closed: write it before. The loss of a server is tolerated meanwhile, too.
 * Thread-safe.
 */
@PublicApi
public final class Training implements AutoCloseable {
    private static final long ROWS_OF_TASK = 1 << 16;

    private final TrainingPlan plan;
    private final ParameterServers servers;
    private final SparkSession session;
    /** Ids of clients outside tasks; those of tasks count up from 0. */
    private final AtomicInteger nextClient = new AtomicInteger(Integer.MAX_VALUE);

    private final List<Evaluation.Figures> evaluations = new ArrayList<>();
    private TrainingCurve curve;
    private TrainingMetrics metrics;
    /** How often servers had gone back to a checkpoint at the end of the training. */
    private int rollbacks;

    Training(TrainingPlan plan, ParameterServers servers, SparkSession session) {
        this.plan = plan;
        this.servers = servers;
        this.session = session;
    }

    synchronized void evaluated(Evaluation.Figures figures) {
        evaluations.add(figures);
    }

    synchronized void finish(TrainingCurve how, TrainingMetrics figures, int rollbacksSoFar) {
        curve = how;
        metrics = figures;
        rollbacks = rollbacksSoFar;
    }

    /** The course of the training. */
    public synchronized TrainingCurve curve() {
        return curve;
    }

    /** The figures of the training. */
    public synchronized TrainingMetrics metrics() {
        return metrics;
    }

    /** What the evaluations during training found, in order. */
    public synchronized List<Evaluation.Figures> evaluations() {
        return List.copyOf(evaluations);
    }

    /**
     * Returns the model. Its networks are read now; tasks read its rows from the servers at each action, which fails if
     * servers have gone back to a checkpoint since the training.
     *
     * @throws io.paritas.spark.ecrm.client.DataLossException if more than one server failed at a time and a lost row is needed
     * @throws IllegalStateException if for this reason servers have gone back to a checkpoint since the training
     */
    public synchronized TrainedModel model() throws InterruptedException {
        ServedState trained = new ServedState(servers.location(), rollbacks);
        try (ParameterClient client = trained.connect(nextClient.getAndDecrement())) {
            return new TrainedModel(plan.shape(), client.pullBlocks(plan.blocks()), rows(trained));
        }
    }

    private Dataset<Row> rows(ServedState trained) {
        long count = plan.shape().tables().rows();
        int tasks = (int) Math.min(1000, (count + ROWS_OF_TASK - 1) / ROWS_OF_TASK);
        return session.range(0, count, 1, tasks)
                .mapPartitions(new ServedRows(trained, plan.shape().dimension()), Encoders.row(TrainedModel.ROWS));
    }

    /**
     * Evaluates the model on samples.
     *
     * @throws IllegalStateException if that fails, servers have gone back to a checkpoint since the training, or the
     *     thread is interrupted
     */
    public Evaluation evaluate(Dataset<?> samples) {
        try {
            return evaluation(samples, rollbacksOfTraining(), () -> {});
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during an evaluation", e);
        }
    }

    private synchronized int rollbacksOfTraining() {
        return rollbacks;
    }

    /**
     * The same. Its tasks end if the thread is interrupted: without servers they would wait for ever.
     *
     * @param rollbacksSoFar how often servers have gone back to a checkpoint; if they go back once more, it fails
     * @param look called many times a second meanwhile
     */
    Evaluation evaluation(Dataset<?> samples, int rollbacksSoFar, Runnable look) throws InterruptedException {
        JavaFutureAction<List<byte[]>> job = Samples.internalRows(samples)
                .toJavaRDD()
                .mapPartitions(new EvaluationTask(plan, new ServedState(servers.location(), rollbacksSoFar)))
                .map(Serialised::write)
                .collectAsync();
        try {
            Evaluation all = new Evaluation();
            TrainingRun.await(job, look).forEach(part -> all.merge(Serialised.read(part)));
            return all;
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "an evaluation has failed: " + e.getCause().getMessage(), e.getCause());
        } finally {
            job.cancel(true);
        }
    }

    /**
     * Whether all servers are running and recovered.
     *
     * @throws IllegalStateException if their supervisor has failed
     */
    public boolean isHealthy() {
        return servers.state().isHealthy();
    }

    /** Stops the servers; a model that was not written is lost. */
    @Override
    public void close() {
        servers.close();
    }
}
