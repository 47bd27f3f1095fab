/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The state of all servers at some time, as a checkpoint has it, and the next iteration of each worker. */
record Snapshot(
        ModelSpec model,
        List<List<List<Integer>>> rows,
        List<List<Float>> blocks,
        List<Long> updates,
        List<Integer> next)
        implements InitialState {

    static Snapshot of(ModelSpec model, List<ShardServer> servers, List<Integer> next) {
        StripePlacement stripes = model.stripes();
        List<List<List<Integer>>> tables = new ArrayList<>();
        for (int table = 0; table < model.tables().size(); table++) {
            List<List<Integer>> rows = new ArrayList<>();
            for (long row = 0; row < servers.get(0).shard(table).stripes() * stripes.k(); row++) {
                int[] words =
                        servers.get(stripes.owner(row)).shard(table).newest(stripes.stripe(row), stripes.unit(row));
                rows.add(Arrays.stream(words).boxed().toList());
            }
            tables.add(rows);
        }
        List<List<Float>> blocks = new ArrayList<>();
        List<Long> updates = new ArrayList<>();
        for (int number = 0; number < model.blocks().size(); number++) {
            Block block = servers.get(model.replicas().servers(number)[0]).block(number);
            List<Float> all = new ArrayList<>();
            for (float one : block.all()) {
                all.add(one);
            }
            blocks.add(all);
            updates.add(block.updates());
        }
        return new Snapshot(model, tables, blocks, updates, next);
    }

    @Override
    public int[] row(int table, long row) {
        return rows.get(table).get((int) row).stream()
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Override
    public Block block(int number) {
        List<Float> words = blocks.get(number);
        float[] all = new float[words.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = words.get(i);
        }
        Block block = Block.empty(model.blocks().get(number));
        block.copy(all, updates.get(number));
        return block;
    }

    /** One bit for each iteration that is included: see {@link Script#blocks}. */
    int included() {
        return -(int) (float) blocks.get(1).get(1);
    }

    /** Whether the state of the servers is the same. */
    boolean sameAs(Snapshot other) {
        return rows.equals(other.rows) && blocks.equals(other.blocks) && updates.equals(other.updates);
    }
}
