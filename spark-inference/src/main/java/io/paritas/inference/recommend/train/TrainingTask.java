/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.MiniBatches;
import io.paritas.inference.recommend.model.Dlrm;
import io.paritas.inference.recommend.model.Gradients;
import io.paritas.inference.recommend.model.Parameter;
import io.paritas.spark.ecrm.client.RolledBackException;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker: trains on a partition, beginning with the first batch that is not committed. It ends early when the servers return
 * to a checkpoint; the driver then trains on all partitions again.
 */
final class TrainingTask implements VoidFunction<Iterator<InternalRow>> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(TrainingTask.class);

    private final TrainingPlan plan;
    private final ParameterServers.Location servers;
    private final String driver;
    private final int epoch;

    /** @param driver endpoint of {@link Reports} */
    TrainingTask(TrainingPlan plan, ParameterServers.Location servers, String driver, int epoch) {
        this.plan = plan;
        this.servers = servers;
        this.driver = driver;
        this.epoch = epoch;
    }

    @Override
    public void call(Iterator<InternalRow> samples) throws InterruptedException {
        TaskContext context = TaskContext.get();
        int worker = Math.toIntExact(context.taskAttemptId());
        try (ParameterClient client = ParameterClient.connect(servers, worker);
                Dlrm dlrm = Dlrm.open(plan.shape(), plan.work().threads());
                Reporter reporter = new Reporter(worker, driver)) {
            MiniBatches batches = new MiniBatches(
                    samples,
                    plan.work().batch(),
                    plan.shape().denseFeatures(),
                    plan.shape().tables());
            train(context, client, dlrm, batches, reporter);
        } catch (RolledBackException e) {
            LOG.info("training task ends early: {}", e.getMessage());
        }
    }

    private void train(TaskContext context, ParameterClient client, Dlrm dlrm, MiniBatches batches, Reporter reporter)
            throws InterruptedException {
        long row = plan.committedRow(epoch, context.partitionId());
        StripePlacement stripes = servers.model().stripes();
        long committed = committed(client, row);
        for (long number = 0; batches.hasNext(); number++) {
            MiniBatch batch = batches.next();
            if (number >= committed) {
                context.killTaskIfInterrupted();
                step(client, dlrm, batch, count(row, BatchCount.oneMoreThan(number)), reporter, stripes);
            }
        }
    }

    /** Reads the count of committed batches; the empty update before waits for what an earlier attempt left unfinished. */
    private static long committed(ParameterClient client, long row) throws InterruptedException {
        client.push(List.of(count(row, new float[BatchCount.DIMENSION])), List.of());
        return BatchCount.of(client.pullRows(TrainingPlan.COMMITTED, new long[] {row}));
    }

    private static RowGradients count(long row, float[] more) {
        return new RowGradients(TrainingPlan.COMMITTED, new long[] {row}, more);
    }

    private void step(
            ParameterClient client,
            Dlrm dlrm,
            MiniBatch batch,
            RowGradients count,
            Reporter reporter,
            StripePlacement stripes)
            throws InterruptedException {
        long start = System.nanoTime();
        float[] network = client.pullBlocks(plan.blocks());
        float[] rows = client.pullRows(TrainingPlan.EMBEDDINGS, batch.ids());
        long pulled = System.nanoTime();
        Gradients gradients = dlrm.gradients(batch, network, rows);
        if (!Float.isFinite(gradients.loss())) {
            throw new IllegalStateException("the loss of a batch must be finite, got " + gradients.loss()
                    + ": the model has diverged, train it with lower learning rates");
        }
        long computed = System.nanoTime();
        int tries = client.push(
                List.of(new RowGradients(TrainingPlan.EMBEDDINGS, batch.ids(), gradients.rows()), count),
                blocks(gradients.network()));
        reporter.report(
                batch.size(),
                gradients.loss(),
                tries,
                pulled - start,
                computed - pulled,
                System.nanoTime() - computed,
                plan.updated(stripes, batch.ids()));
    }

    private List<BlockGradient> blocks(float[] gradient) {
        List<BlockGradient> blocks = new ArrayList<>();
        for (Parameter parameter : plan.shape().parameters()) {
            blocks.add(new BlockGradient(
                    blocks.size(),
                    Arrays.copyOfRange(gradient, parameter.offset(), parameter.offset() + parameter.length())));
        }
        return blocks;
    }
}
