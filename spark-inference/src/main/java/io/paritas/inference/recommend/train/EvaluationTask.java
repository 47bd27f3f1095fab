/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.MiniBatches;
import io.paritas.inference.recommend.model.Dlrm;
import io.paritas.inference.recommend.model.Evaluation;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.job.AttemptNumber;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/** Evaluates the model on the servers with the samples of a partition. */
final class EvaluationTask implements FlatMapFunction<Iterator<InternalRow>, Evaluation> {
    private static final long serialVersionUID = 1;

    private final TrainingPlan plan;
    private final ServedState servers;

    EvaluationTask(TrainingPlan plan, ServedState servers) {
        this.plan = plan;
        this.servers = servers;
    }

    @Override
    public Iterator<Evaluation> call(Iterator<InternalRow> samples) throws InterruptedException {
        Evaluation evaluation = new Evaluation();
        int worker = AttemptNumber.of(TaskContext.get());
        try (ParameterClient client = servers.connect(worker);
                Dlrm dlrm = Dlrm.open(plan.shape(), plan.work().threads())) {
            float[] network = client.pullBlocks(plan.blocks());
            MiniBatches batches = new MiniBatches(
                    samples,
                    plan.work().batch(),
                    plan.shape().denseFeatures(),
                    plan.shape().tables());
            while (batches.hasNext()) {
                MiniBatch batch = batches.next();
                float[] rows = client.pullRows(TrainingPlan.EMBEDDINGS, batch.ids());
                evaluation.add(dlrm.logits(batch, network, rows), batch.labels());
            }
        }
        return List.of(evaluation).iterator();
    }
}
