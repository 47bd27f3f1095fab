/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.Parity;
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
    /** In one phase: iterations that were on their way at a failure. */
    private final Set<Iteration> suspects = new HashSet<>();
    /** Updates of rows that have no parity, in the order in which they come to their owners. */
    private final Map<UnitId, Integer> counts = new HashMap<>();

    Oracle(Script script) {
        this.script = script;
    }

    void sees(Envelope envelope) {
        if (envelope.message() instanceof StageParity staged) {
            for (Difference difference : staged.differences()) {
                bases.computeIfAbsent(staged.tx(), none -> new HashMap<>())
                        .put(new UnitId(difference.table(), difference.stripe(), difference.unit()), difference.base());
            }
        } else if (script.model().redundancy().isNone() && envelope.message() instanceof Stage stage) {
            Map<UnitId, Integer> rows = bases.computeIfAbsent(stage.tx(), none -> new HashMap<>());
            for (RowGradients part : stage.rows()) {
                for (long row : part.rows()) {
                    rows.computeIfAbsent(unit(part.table(), row), id -> counts.merge(id, 1, Integer::sum) - 1);
                }
            }
        }
    }

    private UnitId unit(int table, long row) {
        int k = script.model().redundancy().k();
        return new UnitId(table, row / k, (int) (row % k));
    }

    /** Somebody fails while this is on its way. */
    void suspect(Iteration iteration) {
        if (script.model().redundancy().isOnePhase()) {
            suspects.add(iteration);
        }
    }

    /** Rows of which it is not known whether updates that were on their way at a failure are in them. */
    private Set<UnitId> doubtful() {
        Set<UnitId> doubtful = new HashSet<>();
        for (Iteration iteration : suspects) {
            for (RowGradients part : script.rows(iteration.worker(), iteration.number())) {
                for (long row : part.rows()) {
                    doubtful.add(unit(part.table(), row));
                }
            }
        }
        return doubtful;
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
        int width = script.model().tables().get(table).width();
        int[] bits = new int[width];
        Arrays.setAll(bits, i -> Float.floatToRawIntBits(parameters[from + i]));
        reads.add(new Read(unit(table, row), bits));
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
            float[] before = all.clone();
            table.optimizer().step(all, table.width(), gradients.gradients(), place * table.width());
            for (int i = 0; i < all.length && isSum(); i++) {
                all[i] = before[i] + (all[i] - before[i]);
            }
            history.add(bits(base + 1, all));
        });
        return history;
    }

    private boolean isSum() {
        return script.model().redundancy().parity() == Parity.SUM;
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
        var replicas = script.model().replicas();
        float[] sum = servers.get(replicas.servers(1)[0]).block(1).parameters();
        int included = -(int) sum[1];
        for (Map.Entry<TxId, Iteration> attempt : attempts.entrySet()) {
            Iteration iteration = attempt.getValue();
            boolean in = (included >> (iteration.worker() * script.iterations() + iteration.number()) & 1) == 1;
            boolean known = committed.stream().anyMatch(tx -> attempts.get(tx).equals(iteration));
            if (suspects.contains(iteration)) {
                continue;
            }
            assertThat(in || !known)
                    .as(iteration + " is acknowledged, and lost")
                    .isTrue();
            if (in && !known && isLast(attempt.getKey())) {
                committed.add(attempt.getKey());
            }
        }
        int iterations = Integer.bitCount(included);
        assertThat(-sum[0]).as("iterations").isEqualTo(iterations);
        if (suspects.isEmpty()) {
            assertThat(iterations).as("iterations").isEqualTo(committed.size());
        }
        for (int block = 0; block < 2; block++) {
            var first = servers.get(replicas.servers(block)[0]).block(block);
            // Blocks of different servers may differ in what is in doubt.
            assertThat(first.updates())
                    .isBetween((long) iterations - suspects.size(), (long) iterations + suspects.size());
            for (int server : replicas.servers(block)) {
                var other = servers.get(server).block(block);
                assertThat(other.all()).as("replicas of " + block).isEqualTo(first.all());
                assertThat(other.updates()).isEqualTo(first.updates());
            }
        }
        for (int table = 0; table < script.model().tables().size(); table++) {
            checkTable(table, servers, lost);
        }
        Set<UnitId> doubtful = doubtful();
        for (Read read : reads) {
            if (doubtful.contains(read.row()) || isSum()) {
                continue;
            }
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
        StripePlacement placement = script.model().stripes();
        Set<UnitId> doubtful = doubtful();
        for (long stripe = 0; stripe < servers.get(0).shard(table).stripes(); stripe++) {
            int[][] units = new int[placement.units()][];
            for (int unit = 0; unit < placement.units(); unit++) {
                UnitId id = new UnitId(table, stripe, unit);
                ShardServer server = servers.get(placement.server(stripe, unit));
                units[unit] = lost.contains(id) ? null : server.shard(table).newest(stripe, unit);
                if (unit < placement.k() && !doubtful.contains(id)) {
                    List<int[]> history = history(id);
                    int[] last = history.get(history.size() - 1);
                    units[unit] = units[unit] == null ? last : units[unit];
                    check("row " + id, units[unit], last, 1, 1e-4f);
                }
            }
            if (placement.units() > placement.k() && units[placement.k()] != null) {
                checkParity(new UnitId(table, stripe, placement.k()), units);
            }
        }
    }

    /** I5 of the protocol: within (updates + k) * epsilon * the greatest number there was, where parity is a sum. */
    private void checkParity(UnitId id, int[][] units) {
        int k = id.unit();
        int[] parity = new int[units[k].length];
        int updates = 0;
        float greatest = 1;
        for (int unit = 0; unit < k; unit++) {
            parity[unit] = units[unit][0];
            updates += units[unit][0];
            for (int i = 1; i < units[unit].length; i++) {
                int word = parity[k + i - 1];
                float sum = Float.intBitsToFloat(word) + Float.intBitsToFloat(units[unit][i]);
                greatest = Math.max(greatest, 2 * Math.abs(sum));
                parity[k + i - 1] = isSum() ? Float.floatToRawIntBits(sum) : word ^ units[unit][i];
            }
        }
        check("parity " + id, units[k], parity, k, (updates + k) * Math.ulp(1f) * greatest);
    }

    /** Bit for bit, or, where parity is a sum, within a bound. */
    private void check(String name, int[] words, int[] expected, int header, float bound) {
        if (!isSum()) {
            assertThat(words).as(name).isEqualTo(expected);
            return;
        }
        assertThat(words).as(name).hasSameSizeAs(expected);
        for (int i = 0; i < words.length; i++) {
            if (i < header) {
                assertThat(words[i]).as("version of " + name).isEqualTo(expected[i]);
            } else {
                assertThat(Float.intBitsToFloat(words[i]))
                        .as(name)
                        .isCloseTo(Float.intBitsToFloat(expected[i]), within(bound));
            }
        }
    }
}
