/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.InitialNetwork;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.Parameter;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What workers and servers agree on. The embedding tables are one table of the servers, with the ids of {@code Tables}, and each
 * matrix and bias of the networks is a block. A second table counts the committed batches and names the task
 * that trains: it has a row for each epoch and partition, which is updated together with the parameters, so that it stays right when a server or a worker is lost.
 *
 * @param shape architecture of the model
 * @param servers parameter servers
 * @param work the workers' share
 * @param rows initial values of the embedding rows
 * @param seed seed of the networks' initial values
 */
record TrainingPlan(DlrmShape shape, Servers servers, Work work, InitialRows rows, long seed) implements Serializable {
    /**
     * Parameter servers and what they do.
     *
     * @param count number of servers
     */
    record Servers(int count, Redundancy redundancy, Optimizer rowOptimizer, Optimizer networkOptimizer)
            implements Serializable {}

    /**
     * Workers and what they do.
     *
     * @param workers number of partitions, each with a worker
     * @param batch samples in a batch
     * @param threads threads of an operation of the networks
     */
    record Work(int workers, int batch, int epochs, int threads) implements Serializable {}

    static final int EMBEDDINGS = 0;
    static final int COMMITTED = 1;

    /** Adds the gradient to the row. */
    private static final Optimizer COUNT = new Optimizer.Sgd(-1);

    ModelSpec spec() {
        List<BlockSpec> blocks = new ArrayList<>();
        List<Initializer> initials = InitialNetwork.initials(shape, seed);
        for (Parameter parameter : shape.parameters()) {
            blocks.add(new BlockSpec(parameter.length(), servers.networkOptimizer(), initials.get(blocks.size())));
        }
        return new ModelSpec(
                servers.count(),
                servers.redundancy(),
                List.of(
                        new TableSpec(shape.tables().rows(), shape.dimension(), servers.rowOptimizer(), rows.initial()),
                        new TableSpec(
                                (long) work.epochs() * work.workers(),
                                BatchCount.DIMENSION,
                                COUNT,
                                new Initializer(0, 0, 0))),
                blocks);
    }

    /** The indices of all blocks. */
    int[] blocks() {
        return IntStream.range(0, shape.parameters().size()).toArray();
    }

    /** The id of the row of {@link #COMMITTED}. */
    long committedRow(int epoch, int partition) {
        return (long) epoch * work.workers() + partition;
    }

    /**
     * Checks that a batch fits a push, whose rows each server has in its memory several times.
     *
     * @param most bytes of rows on a server, with their optimizer's state
     * @throws IllegalArgumentException if it does not
     */
    void requireRoom(StripePlacement stripes, MiniBatch batch, long most) {
        long[] bytes = new long[servers.count()];
        long row =
                (long) Float.BYTES * (shape.dimension() + servers.rowOptimizer().state(shape.dimension()));
        for (long id : batch.ids()) {
            bytes[stripes.owner(id)] += row;
        }
        long greatest = LongStream.of(bytes).max().orElse(0);
        if (greatest > most) {
            throw new IllegalArgumentException("the embedding rows of a batch must have at most " + most
                    + " bytes on a server, with their optimizer's state, got " + greatest + " for " + batch
                    + ": train with fewer samples in a batch (batch is " + work.batch()
                    + ") or with more servers (servers is " + servers.count() + ")");
        }
    }

    /** Counts, by server, the rows and parities that an update of these embedding rows changes. */
    int[] updated(StripePlacement stripes, long[] ids) {
        int[] updated = new int[servers.count()];
        for (long id : ids) {
            long stripe = stripes.stripe(id);
            updated[stripes.owner(id)]++;
            for (int parity = stripes.k(); parity < stripes.units(); parity++) {
                updated[stripes.server(stripe, parity)]++;
            }
        }
        return updated;
    }
}
