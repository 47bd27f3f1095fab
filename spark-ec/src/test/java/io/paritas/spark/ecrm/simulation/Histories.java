/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Parity;
import io.paritas.spark.ecrm.table.TableSpec;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The states of rows after each of their updates, recomputed from gradients in the order in which their owners applied
 * them.
 */
final class Histories {
    private final Script script;
    private final Map<TxId, Map<UnitId, Integer>> bases = new HashMap<>();
    private InitialState initialState;

    Histories(Script script) {
        this.script = script;
        this.initialState = InitialState.initial(script.model());
    }

    /** Begins again from another state, without updates. */
    void begin(InitialState other) {
        initialState = other;
        bases.clear();
    }

    /** Records that an attempt updates a version of a row. */
    void updates(TxId tx, UnitId row, int version) {
        bases.computeIfAbsent(tx, none -> new HashMap<>()).put(row, version);
    }

    boolean isUpdate(TxId tx, UnitId row) {
        return bases.getOrDefault(tx, Map.of()).containsKey(row);
    }

    private long number(UnitId row) {
        return row.stripe() * script.model().redundancy().k() + row.unit();
    }

    /** Returns version, parameters and state of a row, at first and after each update. */
    List<int[]> of(UnitId row, Map<TxId, Oracle.Iteration> committed) {
        TableSpec table = script.model().tables().get(row.table());
        TreeMap<Integer, TxId> updates = new TreeMap<>();
        for (TxId tx : committed.keySet()) {
            Integer base = bases.getOrDefault(tx, Map.of()).get(row);
            if (base != null) {
                assertThat(updates.put(base, tx))
                        .as("another update of version " + base + " of " + row)
                        .isNull();
            }
        }
        int[] first = initialState.row(row.table(), number(row));
        assertThat(updates.keySet().stream().mapToInt(Integer::intValue).toArray())
                .as("versions of " + row)
                .isEqualTo(IntStream.range(first[0], first[0] + updates.size()).toArray());
        float[] all = new float[table.words()];
        for (int i = 0; i < all.length; i++) {
            all[i] = Float.intBitsToFloat(first[1 + i]);
        }
        List<int[]> history = new ArrayList<>(List.of(first));
        updates.forEach((base, tx) -> {
            Oracle.Iteration iteration = committed.get(tx);
            RowGradients gradients =
                    script.rows(iteration.worker(), iteration.number()).get(row.table());
            int place = IntStream.range(0, gradients.rows().length)
                    .filter(i -> gradients.rows()[i] == number(row))
                    .findFirst()
                    .orElseThrow();
            float[] before = all.clone();
            step(table, all, gradients.gradients(), place * table.width());
            for (int i = 0; i < all.length && isSum(); i++) {
                all[i] = before[i] + (all[i] - before[i]);
            }
            history.add(bits(base + 1, all));
        });
        return history;
    }

    /** Updates the parameters and the state of a row by the gradient that begins at an index. */
    private static void step(TableSpec table, float[] all, float[] gradients, int from) {
        float[] parameters = Arrays.copyOf(all, table.width());
        float[] state = Arrays.copyOfRange(all, table.width(), all.length);
        table.optimizer().step(parameters, state, Arrays.copyOfRange(gradients, from, from + parameters.length));
        System.arraycopy(parameters, 0, all, 0, parameters.length);
        System.arraycopy(state, 0, all, parameters.length, state.length);
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
}
