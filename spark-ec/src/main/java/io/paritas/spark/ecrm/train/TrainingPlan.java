/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import io.paritas.spark.ecrm.model.DlrmShape;
import io.paritas.spark.ecrm.model.InitialNetwork;
import io.paritas.spark.ecrm.model.InitialRows;
import io.paritas.spark.ecrm.model.Parameter;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initial;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What workers and servers agree on. The embedding tables are one table of the servers, as {@code Tables} counts their rows, and
 * each matrix and bias of the networks is a block. A further table has a row for each epoch and partition: how many batches
 * are committed. It is changed with them, so that neither the loss of a server nor that of a worker makes it wrong.
 *
 * @param workers partitions, each of which a worker trains on
 * @param threads of a worker's networks
 */
record TrainingPlan(
        DlrmShape shape,
        int servers,
        Redundancy redundancy,
        Optimizer rowOptimizer,
        Optimizer networkOptimizer,
        InitialRows rows,
        int batch,
        int epochs,
        int workers,
        int threads,
        long seed)
        implements Serializable {
    static final int EMBEDDINGS = 0;
    static final int COMMITTED = 1;

    /** Adds its gradient. */
    private static final Optimizer COUNT = new Optimizer.Sgd(-1);

    ModelSpec spec() {
        List<BlockSpec> blocks = new ArrayList<>();
        List<Initial> initials = InitialNetwork.initials(shape, seed);
        for (Parameter parameter : shape.parameters()) {
            blocks.add(new BlockSpec(parameter.length(), networkOptimizer, initials.get(blocks.size())));
        }
        return new ModelSpec(
                servers,
                redundancy,
                List.of(
                        new TableSpec(shape.tables().rows(), shape.dimension(), rowOptimizer, rows.initial()),
                        new TableSpec((long) epochs * workers, BatchCount.DIMENSION, COUNT, new Initial(0, 0, 0))),
                blocks);
    }

    /** All of them. */
    int[] blocks() {
        return IntStream.range(0, shape.parameters().size()).toArray();
    }

    /** The row of {@link #COMMITTED}. */
    long committedRow(int epoch, int partition) {
        return (long) epoch * workers + partition;
    }

    /** By server: how many rows and parities the update of these embedding rows changes. */
    int[] updated(StripePlacement stripes, long[] ids) {
        int[] updated = new int[servers];
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
