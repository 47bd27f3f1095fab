/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What workers do: each pulls and pushes a few rows of two tables and all blocks, iteration after iteration.
 *
 * @param model two tables and two blocks
 * @param workers how many
 * @param iterations of each
 */
record Script(ModelSpec model, int workers, int iterations, long seed) {
    /** There are few rows, so that workers conflict. */
    static Script of(int servers, int k, int workers, int iterations, long seed) {
        return of(servers, Redundancy.coded(k), workers, iterations, seed);
    }

    static Script of(int servers, Redundancy redundancy, int workers, int iterations, long seed) {
        Initializer initial = new Initializer(seed, -1, 1);
        List<Optimizer> optimizers = List.of(
                new Optimizer.Adagrad(0.1f, 1e-6f),
                new Optimizer.Adam(0.01f, 0.9f, 0.999f, 1e-8f),
                new Optimizer.Momentum(0.1f, 0.9f),
                new Optimizer.Sgd(0.1f));
        ModelSpec model = new ModelSpec(
                servers,
                redundancy,
                List.of(
                        new TableSpec(17, 2, optimizers.get((int) (seed % 4)), initial),
                        new TableSpec(5, 3, optimizers.get((int) (seed / 4 % 4)), initial)),
                List.of(
                        new BlockSpec(3, new Optimizer.Momentum(0.1f, 0.9f), initial),
                        new BlockSpec(2, new Optimizer.Sgd(1), new Initializer(0, 0, 0))));
        return new Script(model, workers, iterations, seed);
    }

    private Random random(int worker, int iteration) {
        return new Random(seed * 1_000_003 + worker * 1009L + iteration);
    }

    List<RowGradients> rows(int worker, int iteration) {
        Random random = random(worker, iteration);
        List<RowGradients> all = new ArrayList<>();
        for (int table = 0; table < model.tables().size(); table++) {
            long[] rows = random.longs(0, model.tables().get(table).rows())
                    .distinct()
                    .limit(1 + random.nextInt(3))
                    .toArray();
            float[] gradients =
                    new float[rows.length * model.tables().get(table).width()];
            for (int i = 0; i < gradients.length; i++) {
                gradients[i] = 0.1f + random.nextFloat();
            }
            all.add(new RowGradients(table, rows, gradients));
        }
        return all;
    }

    /**
     * The sum of the first block depends on the order of updates; that of the second is exact and has one bit for each
     * iteration.
     */
    List<BlockGradient> blocks(int worker, int iteration) {
        Random random = random(worker, iteration);
        return List.of(
                new BlockGradient(0, new float[] {random.nextFloat(), random.nextFloat(), 1e-3f}),
                new BlockGradient(1, new float[] {1, 1 << (worker * iterations + iteration)}));
    }
}
