/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.MiniBatches;
import io.paritas.inference.recommend.model.Dlrm;
import io.paritas.inference.recommend.model.Gradients;
import io.paritas.inference.recommend.model.Parameter;
import io.paritas.spark.ecrm.client.OutdatedRowException;
import io.paritas.spark.ecrm.client.RolledBackException;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.job.AttemptNumber;
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
 * to a checkpoint, or have done so before it begins; the driver then trains on all partitions again. With two-phase commit, a batch is
 * committed only if the count of the batches before and the claim to the partition are as expected, so that a task that was taken for
 * dead and comes back, or runs beside its successor, commits none twice.
 */
final class TrainingTask implements VoidFunction<Iterator<InternalRow>> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(TrainingTask.class);

    private final TrainingPlan plan;
    private final ServedState state;
    private final String driver;
    private final long application;
    private final int epoch;

    /**
     * @param state of the servers, with the epochs before
     * @param driver endpoint of {@link Reports}
     * @param application as of a {@link BatchCount.Claim}
     */
    TrainingTask(TrainingPlan plan, ServedState state, String driver, long application, int epoch) {
        this.plan = plan;
        this.state = state;
        this.driver = driver;
        this.application = application;
        this.epoch = epoch;
    }

    @Override
    public void call(Iterator<InternalRow> samples) throws InterruptedException {
        TaskContext context = TaskContext.get();
        int worker = AttemptNumber.of(context);
        try (ParameterClient client = ParameterClient.connect(state.servers(), worker);
                Dlrm dlrm = Dlrm.open(plan.shape(), plan.work().threads());
                Reporter reporter = new Reporter(worker, driver)) {
            if (client.rollbacks() > state.rollbacks()) {
                LOG.info("training task ends early: servers went back to a checkpoint before it began");
                return;
            }
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
        PartitionClaim claim = new PartitionClaim(
                context,
                client,
                plan.committedRow(epoch, context.partitionId()),
                application,
                plan.servers().redundancy().isOnePhase(),
                state.servers().options().timing());
        StripePlacement stripes = state.servers().model().stripes();
        long committed = claim.take();
        for (long number = 0; batches.hasNext(); number++) {
            MiniBatch batch = batches.next();
            if (number >= committed) {
                context.killTaskIfInterrupted();
                step(client, dlrm, batch, new Turn(claim, number), reporter, stripes);
            }
        }
    }

    /**
     * The turn of a batch.
     *
     * @param batches committed batches of the partition before this one
     */
    private record Turn(PartitionClaim claim, long batches) {
        int push(ParameterClient client, RowGradients rows, List<BlockGradient> blocks) throws InterruptedException {
            claim.check();
            try {
                return client.push(List.of(rows, claim.oneMoreThan(batches)), blocks, claim.expected(batches));
            } catch (OutdatedRowException e) {
                RuntimeException why = claim.refused();
                why.addSuppressed(e);
                throw why;
            }
        }
    }

    private void step(
            ParameterClient client, Dlrm dlrm, MiniBatch batch, Turn turn, Reporter reporter, StripePlacement stripes)
            throws InterruptedException {
        plan.requireRoom(stripes, batch, Worker.MOST_BYTES);
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
        int tries = turn.push(
                client,
                new RowGradients(TrainingPlan.EMBEDDINGS, batch.ids(), gradients.rows()),
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
