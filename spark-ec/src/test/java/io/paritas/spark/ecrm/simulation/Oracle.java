/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.TableSpec;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What parameters must be when a set of iterations is committed: made again without servers, from gradients alone. Of the
 * messages it sees only in which order iterations updated a row.
 */
final class Oracle {
    /** An iteration of a worker. */
    record Iteration(int worker, int number) {}

    private record Read(UnitId row, int[] parameters) {}

    private final Script script;
    private final Map<TxId, Iteration> attempts = new HashMap<>();
    private final Map<TxId, Map<UnitId, Integer>> bases = new HashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final Set<TxId> committed = new HashSet<>();

    Oracle(Script script) {
        this.script = script;
    }

    void sees(Envelope envelope) {
        if (envelope.message() instanceof StageParity staged) {
            for (Difference difference : staged.differences()) {
                bases.computeIfAbsent(staged.tx(), none -> new HashMap<>())
                        .put(new UnitId(difference.table(), difference.stripe(), difference.unit()), difference.base());
            }
        }
    }

    void began(TxId tx, Iteration iteration) {
        if (tx != null) {
            attempts.put(tx, iteration);
        }
    }

    void committed(TxId tx) {
        committed.add(tx);
    }

    void read(int table, long row, float[] parameters, int from) {
        int k = script.model().redundancy().k();
        int width = script.model().tables().get(table).width();
        int[] bits = new int[width];
        Arrays.setAll(bits, i -> Float.floatToRawIntBits(parameters[from + i]));
        reads.add(new Read(new UnitId(table, row / k, (int) (row % k)), bits));
    }

    /** What a row was after each of its updates, with the state. */
    private List<int[]> history(UnitId row) {
        TableSpec table = script.model().tables().get(row.table());
        long number = row.stripe() * script.model().redundancy().k() + row.unit();
        TreeMap<Integer, TxId> updates = new TreeMap<>();
        for (TxId tx : committed) {
            Integer base = bases.getOrDefault(tx, Map.of()).get(row);
            if (base != null) {
                assertThat(updates.put(base, tx))
                        .as("another update of version " + base + " of " + row)
                        .isNull();
            }
        }
        assertThat(updates.keySet().stream().mapToInt(Integer::intValue).toArray())
                .as("versions of " + row)
                .isEqualTo(java.util.stream.IntStream.range(0, updates.size()).toArray());
        float[] all = new float[table.words()];
        table.initial().fill(number, all, table.width());
        List<int[]> history = new ArrayList<>(List.of(bits(0, all)));
        updates.forEach((base, tx) -> {
            Iteration iteration = attempts.get(tx);
            RowGradients gradients =
                    script.rows(iteration.worker(), iteration.number()).get(row.table());
            int place = java.util.stream.IntStream.range(0, gradients.rows().length)
                    .filter(i -> gradients.rows()[i] == number)
                    .findFirst()
                    .orElseThrow();
            table.optimizer().step(all, table.width(), gradients.gradients(), place * table.width());
            history.add(bits(base + 1, all));
        });
        return history;
    }

    private static int[] bits(int version, float[] all) {
        int[] bits = new int[1 + all.length];
        bits[0] = version;
        for (int i = 0; i < all.length; i++) {
            bits[1 + i] = Float.floatToRawIntBits(all[i]);
        }
        return bits;
    }

    /**
     * That servers have exactly what is committed. Of iterations whose worker was killed, all of it may be committed or nothing.
     *
     * @param lost what is not to be looked at
     */
    void check(List<ShardServer> servers, Set<UnitId> lost) {
        int bits = Float.floatToRawIntBits(0);
        var replicas = script.model().replicas();
        float[] sum = servers.get(replicas.servers(1)[0]).block(1).parameters();
        int included = -(int) sum[1];
        for (Map.Entry<TxId, Iteration> attempt : attempts.entrySet()) {
            Iteration iteration = attempt.getValue();
            boolean in = (included >> (iteration.worker() * script.iterations() + iteration.number()) & 1) == 1;
            boolean known = committed.stream().anyMatch(tx -> attempts.get(tx).equals(iteration));
            assertThat(in || !known)
                    .as(iteration + " is acknowledged, and lost")
                    .isTrue();
            if (in && !known && isLast(attempt.getKey())) {
                committed.add(attempt.getKey());
            }
        }
        assertThat(-sum[0]).as("iterations").isEqualTo(committed.size() + bits);
        assertThat(Integer.bitCount(included)).as("iterations").isEqualTo(committed.size());
        for (int block = 0; block < 2; block++) {
            var first = servers.get(replicas.servers(block)[0]).block(block);
            assertThat(first.updates()).isEqualTo(committed.size());
            for (int server : replicas.servers(block)) {
                var other = servers.get(server).block(block);
                assertThat(other.all()).as("replicas of " + block).isEqualTo(first.all());
                assertThat(other.updates()).isEqualTo(first.updates());
            }
        }
        for (int table = 0; table < script.model().tables().size(); table++) {
            checkTable(table, servers, lost);
        }
        for (Read read : reads) {
            assertThat(history(read.row()).stream()
                            .anyMatch(words -> Arrays.equals(
                                    words,
                                    1,
                                    1 + read.parameters().length,
                                    read.parameters(),
                                    0,
                                    read.parameters().length)))
                    .as("what was read of " + read.row() + " was committed at some time")
                    .isTrue();
        }
    }

    private boolean isLast(TxId tx) {
        return attempts.keySet().stream()
                .noneMatch(other -> other.worker() == tx.worker() && other.sequence() > tx.sequence());
    }

    private void checkTable(int table, List<ShardServer> servers, Set<UnitId> lost) {
        var placement = script.model().stripes();
        for (long stripe = 0; stripe < servers.get(0).shard(table).stripes(); stripe++) {
            int[] parity = null;
            for (int unit = 0; unit <= placement.k(); unit++) {
                UnitId id = new UnitId(table, stripe, unit);
                ShardServer server = servers.get(placement.server(stripe, unit));
                boolean there = !lost.contains(id);
                int[] words = there ? server.shard(table).newest(stripe, unit) : null;
                if (unit < placement.k()) {
                    List<int[]> history = history(id);
                    int[] last = history.get(history.size() - 1);
                    if (there) {
                        assertThat(words).as("row " + id).isEqualTo(last);
                    }
                    parity = parity == null ? new int[placement.k() + last.length - 1] : parity;
                    parity[unit] = last[0];
                    for (int i = 1; i < last.length; i++) {
                        parity[placement.k() + i - 1] ^= last[i];
                    }
                } else if (there) {
                    assertThat(words).as("parity " + id).isEqualTo(parity);
                }
            }
        }
    }
}
