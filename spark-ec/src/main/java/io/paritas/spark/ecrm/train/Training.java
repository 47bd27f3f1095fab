/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import io.paritas.spark.ecrm.data.Samples;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.model.Evaluation;
import io.paritas.spark.ecrm.model.TrainedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A model that was trained, on its servers until this is closed: write it before. Servers may be lost meanwhile too. Thread-safe.
 */
public final class Training implements AutoCloseable {
    private static final long ROWS_OF_TASK = 1 << 16;

    private final TrainingPlan plan;
    private final ParameterServers servers;
    private final SparkSession session;
    /** Of clients that are no tasks, whose ids count up from 0. */
    private final AtomicInteger nextClient = new AtomicInteger(Integer.MAX_VALUE);

    private final List<Evaluation> evaluations = new ArrayList<>();
    private TrainingCurve curve;
    private TrainingMetrics metrics;

    Training(TrainingPlan plan, ParameterServers servers, SparkSession session) {
        this.plan = plan;
        this.servers = servers;
        this.session = session;
    }

    synchronized void evaluated(Evaluation evaluation) {
        evaluations.add(evaluation);
    }

    synchronized void finish(TrainingCurve how, TrainingMetrics figures) {
        curve = how;
        metrics = figures;
    }

    /** How it went. */
    public synchronized TrainingCurve curve() {
        return curve;
    }

    /** How it went, in figures. */
    public synchronized TrainingMetrics metrics() {
        return metrics;
    }

    /** As often as was asked for, in order. */
    public synchronized List<Evaluation> evaluations() {
        return List.copyOf(evaluations);
    }

    /**
     * The model. Its networks are read now; its rows, by tasks, at each action, from servers.
     *
     * @throws io.paritas.spark.ecrm.client.LostException if more servers were lost than one at a time, and what they had is needed
     */
    public TrainedModel model() throws InterruptedException {
        try (ParameterClient client = ParameterClient.connect(servers.location(), nextClient.getAndDecrement())) {
            return new TrainedModel(plan.shape(), client.pullBlocks(plan.blocks()), rows());
        }
    }

    private Dataset<Row> rows() {
        long count = plan.shape().tables().rows();
        int tasks = (int) Math.min(1000, (count + ROWS_OF_TASK - 1) / ROWS_OF_TASK);
        return session.range(0, count, 1, tasks)
                .mapPartitions(
                        new ServedRows(servers.location(), plan.shape().dimension()), Encoders.row(TrainedModel.ROWS));
    }

    /** How well the model, as it is on the servers, predicts the labels of samples. */
    public Evaluation evaluate(Dataset<?> samples) {
        return Samples.internalRows(samples)
                .toJavaRDD()
                .mapPartitions(new EvaluationTask(plan, servers.location()))
                .fold(
                        new Evaluation(),
                        (left, right) -> new Evaluation().merge(left).merge(right));
    }

    /** Whether all servers are there and recovered. */
    public boolean isHealthy() {
        return servers.isHealthy();
    }

    /** Ends the servers, and with them what was not written. */
    @Override
    public void close() {
        servers.close();
    }
}
