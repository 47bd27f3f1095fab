/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.Parity;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the state of servers against the committed iterations, recomputed from gradients without servers. From a
 * {@link Witness} it learns only the order in which iterations updated a row.
 */
final class Oracle {
    /** An iteration of a worker. */
    record Iteration(int worker, int number) {}

    private record Read(UnitId row, int[] parameters) {}

    /** @param committed iterations known to be committed by then */
    private record Pause(Snapshot snapshot, Set<Iteration> committed, Set<Iteration> doubtful) {}

    private final Script script;
    private final Histories histories;
    private final Witness witness;
    private final Map<TxId, Iteration> attempts = new HashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final Map<TxId, Iteration> committed = new HashMap<>();
    private final List<Pause> pauses = new ArrayList<>();
    /** With one phase: iterations that were in progress at a failure. */
    private final Set<Iteration> suspects = new HashSet<>();

    private Snapshot checkpoint;
    /** The epoch of the last rollback. */
    private int epoch;
    /** The iterations in the state of the last rollback, a bit each. */
    private int before;

    Oracle(Script script) {
        this.script = script;
        this.histories = new Histories(script);
        this.witness = new Witness(script.model(), histories);
    }

    /** Learns which versions of rows attempts update. */
    Witness witness() {
        return witness;
    }

    private UnitId unit(int table, long row) {
        int k = script.model().redundancy().k();
        return new UnitId(table, row / k, (int) (row % k));
    }

    /** Records that somebody failed while this iteration was in progress. */
    void suspect(Iteration iteration) {
        if (script.model().redundancy().isOnePhase()) {
            suspects.add(iteration);
        }
    }

    /** Returns rows that may or may not include updates that were in progress at a failure. */
    private Set<UnitId> doubtful() {
        return rows(suspects);
    }

    private Set<UnitId> rows(Set<Iteration> iterations) {
        Set<UnitId> rows = new HashSet<>();
        for (Iteration iteration : iterations) {
            for (RowGradients part : script.rows(iteration.worker(), iteration.number())) {
                for (long row : part.rows()) {
                    rows.add(unit(part.table(), row));
                }
            }
        }
        return rows;
    }

    void began(TxId tx, Iteration iteration) {
        if (tx != null && tx.epoch() >= epoch) {
            attempts.put(tx, iteration);
        }
    }

    void committed(TxId tx) {
        if (tx.epoch() >= epoch) {
            committed.put(tx, attempts.get(tx));
        }
    }

    /** Records a pause. */
    void paused(Snapshot snapshot) {
        pauses.add(new Pause(snapshot, Set.copyOf(committed.values()), Set.copyOf(suspects)));
    }

    /** The state that servers go back to. */
    Snapshot checkpoint() {
        return checkpoint;
    }

    /** Records that all servers go back to the state of the last pause. */
    void rolledBack(int inEpoch) {
        Pause last = pauses.get(pauses.size() - 1);
        learn(last.snapshot().included());
        checkPauses();
        pauses.clear();
        checkpoint = last.snapshot();
        histories.begin(checkpoint);
        before = last.snapshot().included();
        epoch = inEpoch;
        attempts.clear();
        committed.clear();
        reads.clear();
        suspects.clear();
        suspects.addAll(last.doubtful());
    }

    /** @param pulledIn epoch of the pull; reads from before the last rollback are not checked */
    void read(RowGradients rows, float[] parameters, int pulledIn) {
        int width = script.model().tables().get(rows.table()).width();
        for (int row = 0; row < rows.rows().length && pulledIn >= epoch; row++) {
            int from = row * width;
            int[] bits = new int[width];
            Arrays.setAll(bits, i -> Float.floatToRawIntBits(parameters[from + i]));
            reads.add(new Read(unit(rows.table(), rows.rows()[row]), bits));
        }
    }

    private List<int[]> history(UnitId row) {
        return histories.of(row, committed);
    }

    private boolean isSum() {
        return script.model().redundancy().parity() == Parity.SUM;
    }

    /**
     * Checks that servers have exactly what is committed. An iteration of a killed worker may be committed as a whole
     * or not at all.
     *
     * @param lost units not to check
     */
    void check(List<ShardServer> servers, Set<UnitId> lost) {
        var replicas = script.model().replicas();
        float[] sum = servers.get(replicas.servers(1)[0]).block(1).parameters();
        int included = -(int) sum[1];
        for (Iteration iteration : committed.values()) {
            assertThat(isIn(iteration, included) || suspects.contains(iteration))
                    .as(iteration + " is acknowledged, and lost")
                    .isTrue();
        }
        learn(included);
        int iterations = Integer.bitCount(included);
        assertThat(-sum[0]).as("iterations").isEqualTo(iterations);
        if (suspects.isEmpty()) {
            assertThat(iterations).as("iterations").isEqualTo(committed.size() + Integer.bitCount(before));
        }
        for (int block = 0; block < 2; block++) {
            var first = servers.get(replicas.servers(block)[0]).block(block);
            // Blocks of different servers may differ in doubtful iterations.
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
        checkPauses();
        checkReads();
    }

    /** Learns of iterations that are committed without the knowledge of their workers, who are dead or cut off. */
    private void learn(int included) {
        committed.putAll(unheard(included, suspects));
    }

    /** Attempts whose iterations a state includes though no worker has heard of it, unless they were doubtful then. */
    private Map<TxId, Iteration> unheard(int included, Set<Iteration> doubtful) {
        Map<TxId, Iteration> unheard = new HashMap<>(attempts);
        unheard.entrySet()
                .removeIf(attempt -> !isIn(attempt.getValue(), included)
                        || committed.containsValue(attempt.getValue())
                        || !isLast(attempt.getKey())
                        || doubtful.contains(attempt.getValue()));
        return unheard;
    }

    private boolean isIn(Iteration iteration, int included) {
        return (included >> (iteration.worker() * script.iterations() + iteration.number()) & 1) == 1;
    }

    /**
     * Checks that the state in each pause is that of some committed iterations, including all known to be committed by
     * then.
     */
    private void checkPauses() {
        for (Pause pause : pauses) {
            int included = pause.snapshot().included();
            for (Iteration iteration : pause.committed()) {
                assertThat(isIn(iteration, included) || suspects.contains(iteration))
                        .as(iteration + " is committed, and not in the checkpoint")
                        .isTrue();
            }
            Map<TxId, Iteration> some = new HashMap<>(committed);
            some.values().removeIf(iteration -> !isIn(iteration, included));
            // Who failed after the pause made nothing doubtful that is in it.
            some.putAll(unheard(included, pause.doubtful()));
            Set<UnitId> doubtful = rows(pause.doubtful());
            for (int table = 0; table < script.model().tables().size(); table++) {
                for (long row = 0; row < script.model().tables().get(table).rows(); row++) {
                    UnitId unit = unit(table, row);
                    if (!doubtful.contains(unit) && !isSum()) {
                        List<int[]> history = histories.of(unit, some);
                        assertThat(pause.snapshot().row(table, row))
                                .as(unit + " in the checkpoint")
                                .isEqualTo(history.get(history.size() - 1));
                    }
                }
            }
        }
    }

    private void checkReads() {
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
            for (int parity = placement.k(); parity < placement.units(); parity++) {
                if (units[parity] != null) {
                    checkParity(new UnitId(table, stripe, parity), units);
                }
            }
        }
    }

    /** Checks the parity; where it is a sum, within (updates + k) * epsilon * the greatest number. */
    private void checkParity(UnitId id, int[][] units) {
        int k = script.model().redundancy().k();
        int[] parity = new int[units[id.unit()].length];
        int updates = 0;
        float greatest = 1;
        for (int unit = 0; unit < k; unit++) {
            parity[unit] = units[unit][0];
            updates += units[unit][0];
            for (int i = 1; i < units[unit].length; i++) {
                int word = parity[k + i - 1];
                float sum = Float.intBitsToFloat(word) + Float.intBitsToFloat(units[unit][i]);
                greatest = Math.max(greatest, 2 * Math.abs(sum));
                parity[k + i - 1] = isSum()
                        ? Float.floatToRawIntBits(sum)
                        : word ^ (id.unit() == k ? units[unit][i] : shifted(units[unit][i], unit));
            }
        }
        check("parity " + id, units[id.unit()], parity, k, (updates + k) * Math.ulp(1f) * greatest);
    }

    /** The product of each byte of a word and 2^unit in GF(2^8). */
    private static int shifted(int word, int unit) {
        int product = 0;
        for (int at = 0; at < Integer.SIZE; at += Byte.SIZE) {
            int symbol = word >>> at & 0xff;
            for (int i = 0; i < unit; i++) {
                symbol = symbol << 1 ^ (symbol >>> 7) * 0x11d;
            }
            product |= symbol << at;
        }
        return product;
    }

    /** Checks bit for bit or, where parity is a sum, within a bound. */
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
