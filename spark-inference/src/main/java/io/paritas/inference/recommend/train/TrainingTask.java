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
import io.paritas.spark.ecrm.protocol.ExpectedRow;
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
 * to a checkpoint, or have done so before it begins; the driver then trains on all partitions again. With two-phase commit, a batch is committed only if the count of
 * the batches before is as expected, so that a task that was taken for dead and comes back commits none twice.
 */
final class TrainingTask implements VoidFunction<Iterator<InternalRow>> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(TrainingTask.class);

    private final TrainingPlan plan;
    private final ServedState state;
    private final String driver;
    private final int epoch;

    /**
     * @param state of the servers, with the epochs before
     * @param driver endpoint of {@link Reports}
     */
    TrainingTask(TrainingPlan plan, ServedState state, String driver, int epoch) {
        this.plan = plan;
        this.state = state;
        this.driver = driver;
        this.epoch = epoch;
    }

    @Override
    public void call(Iterator<InternalRow> samples) throws InterruptedException {
        TaskContext context = TaskContext.get();
        int worker = Math.toIntExact(context.taskAttemptId());
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
        } catch (OutdatedRowException e) {
            throw new IllegalStateException(
                    "only one task may train on partition " + context.partitionId()
                            + ", but another one has taken its place: this one stops, and has changed nothing since",
                    e);
        }
    }

    private void train(TaskContext context, ParameterClient client, Dlrm dlrm, MiniBatches batches, Reporter reporter)
            throws InterruptedException {
        long row = plan.committedRow(epoch, context.partitionId());
        StripePlacement stripes = state.servers().model().stripes();
        long committed = committed(client, row);
        for (long number = 0; batches.hasNext(); number++) {
            MiniBatch batch = batches.next();
            if (number >= committed) {
                context.killTaskIfInterrupted();
                step(client, dlrm, batch, new Count(row, number), reporter, stripes);
            }
        }
    }

    /**
     * Reads the count of committed batches; the empty update before waits for what an earlier attempt left unfinished of it. Then all
     * servers have the updates of those batches.
     */
    private static long committed(ParameterClient client, long row) throws InterruptedException {
        client.push(List.of(Count.update(row, new float[BatchCount.DIMENSION])), List.of());
        client.settle();
        return BatchCount.of(client.pullRows(TrainingPlan.COMMITTED, new long[] {row}));
    }

    /** The count of a partition's committed batches, as the task that trains the next one expects it. */
    private record Count(long row, long batches) {
        RowGradients oneMore() {
            return update(row, BatchCount.oneMoreThan(batches));
        }

        ExpectedRow expected() {
            return new ExpectedRow(TrainingPlan.COMMITTED, row, BatchCount.row(batches));
        }

        static RowGradients update(long row, float[] more) {
            return new RowGradients(TrainingPlan.COMMITTED, new long[] {row}, more);
        }
    }

    private void step(
            ParameterClient client, Dlrm dlrm, MiniBatch batch, Count count, Reporter reporter, StripePlacement stripes)
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
        int tries = client.push(
                List.of(new RowGradients(TrainingPlan.EMBEDDINGS, batch.ids(), gradients.rows()), count.oneMore()),
                blocks(gradients.network()),
                plan.servers().redundancy().isOnePhase() ? List.of() : List.of(count.expected()));
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
