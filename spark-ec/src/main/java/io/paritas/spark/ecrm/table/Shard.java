/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.spark.ecrm.placement.StripePlacement;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The units of one table that a server has: its share of the rows and of the parity, with the optimizer's state, outside the
 * heap. While stripes are frozen, their units stay what they are, and updates of them are buffered. Not thread-safe.
 */
public final class Shard {
    private final int number;
    private final TableSpec table;
    private final StripePlacement placement;
    private final StripeCode code;
    private final Slab data;
    private final Slab parity;
    private final BitSet missingData = new BitSet();
    private final BitSet missingParity = new BitSet();
    private long missing;
    private final Map<UnitId, int[]> buffer = new HashMap<>();
    private long frozenFrom;
    private long frozenTo;
    private long updatedRows;
    private long parityBytes;
    private long recovered;

    private Shard(ModelSpec model, int number) {
        this.number = number;
        this.table = model.tables().get(number);
        this.placement = model.stripes();
        this.code = StripeCode.of(model);
        this.data = new Slab(placement.dataSlots(table.rows()), 1 + table.words());
        this.parity = new Slab(placement.paritySlots(table.rows()), placement.k() + table.words());
    }

    /** With all units of what was there before. */
    public static Shard of(ModelSpec model, int table, int server, Origin origin) {
        Shard shard = new Shard(model, table);
        for (long stripe = 0; stripe < shard.stripes(); stripe++) {
            int unit = shard.placement.unitOn(server, stripe);
            if (unit >= 0) {
                shard.store(stripe, unit, shard.read(origin, stripe, unit));
            }
        }
        return shard;
    }

    /** All of whose units are missing. */
    public static Shard empty(ModelSpec model, int table, int server) {
        Shard shard = new Shard(model, table);
        for (long stripe = 0; stripe < shard.stripes(); stripe++) {
            int unit = shard.placement.unitOn(server, stripe);
            if (unit >= 0) {
                shard.missing(unit).set((int) shard.placement.slot(stripe, unit));
                shard.missing++;
            }
        }
        return shard;
    }

    private int[] read(Origin origin, long stripe, int unit) {
        if (unit < placement.k()) {
            return origin.row(number, stripe * placement.k() + unit);
        }
        int[][] all = new int[placement.k()][];
        for (int other = 0; other < placement.k(); other++) {
            all[other] = read(origin, stripe, other);
        }
        return code.encode(all);
    }

    public long stripes() {
        return placement.stripes(table.rows());
    }

    private BitSet missing(int unit) {
        return unit < placement.k() ? missingData : missingParity;
    }

    public boolean isMissing(long stripe, int unit) {
        return missing(unit).get((int) placement.slot(stripe, unit));
    }

    /** Rows as they are in so many slots, by their numbers: versions, then the bits of parameters and state. */
    public int[][] rows(long firstSlot, int count) {
        int[][] rows = new int[count][];
        for (int i = 0; i < count; i++) {
            rows[i] = data.get(firstSlot + i);
        }
        return rows;
    }

    /** Units that are missing. */
    public long missing() {
        return missing;
    }

    /** A unit that was missing. */
    public void recover(long stripe, int unit, int[] words) {
        store(stripe, unit, words);
        missing(unit).clear((int) placement.slot(stripe, unit));
        missing--;
        recovered++;
    }

    /** Units that were missing, and are not. */
    public long recovered() {
        return recovered;
    }

    private void store(long stripe, int unit, int[] words) {
        (unit < placement.k() ? data : parity).put(placement.slot(stripe, unit), words);
    }

    /** A unit with all updates: its versions, then its floats. */
    public int[] newest(long stripe, int unit) {
        int[] buffered = buffer.get(new UnitId(number, stripe, unit));
        return buffered != null ? buffered.clone() : frozen(stripe, unit);
    }

    /** A unit without those updates that are buffered. */
    public int[] frozen(long stripe, int unit) {
        return (unit < placement.k() ? data : parity).get(placement.slot(stripe, unit));
    }

    /** How often the row of a data unit was updated, as far as this unit has it. */
    public int version(long stripe, int unit, int dataUnit) {
        return newest(stripe, unit)[StripeCode.versionAt(unit, dataUnit)];
    }

    /** What an update would add to a row, and thereby to the parity; changes nothing. */
    public int[] difference(long stripe, int unit, float[] gradient, int from) {
        int[] words = newest(stripe, unit);
        float[] row = new float[table.words()];
        int[] before = new int[row.length];
        System.arraycopy(words, 1, before, 0, row.length);
        for (int i = 0; i < row.length; i++) {
            row[i] = Float.intBitsToFloat(before[i]);
        }
        table.optimizer().step(row, table.width(), gradient, from);
        int[] after = new int[row.length];
        for (int i = 0; i < row.length; i++) {
            after[i] = Float.floatToRawIntBits(row[i]);
        }
        return code.difference(before, after);
    }

    /** An update of a row, in its own unit or in the parity. */
    public void add(long stripe, int unit, int dataUnit, int[] delta) {
        int[] after = code.updated(newest(stripe, unit), unit, dataUnit, delta);
        if (unit < placement.k()) {
            updatedRows++;
        } else {
            parityBytes += (long) Integer.BYTES * delta.length;
        }
        if (stripe >= frozenFrom && stripe < frozenTo) {
            buffer.put(new UnitId(number, stripe, unit), after);
        } else {
            store(stripe, unit, after);
        }
    }

    /** Updates of rows so far. */
    public long updatedRows() {
        return updatedRows;
    }

    /** Of differences that were added to parities so far. */
    public long parityBytes() {
        return parityBytes;
    }

    /** From now on, updates of stripes from one up to, not including, another are buffered; of all others they are not. */
    public void freeze(long from, long to) {
        thaw();
        frozenFrom = from;
        frozenTo = to;
    }

    /** What is buffered is stored. */
    public void thaw() {
        buffer.forEach((id, words) -> store(id.stripe(), id.unit(), words));
        buffer.clear();
        frozenFrom = 0;
        frozenTo = 0;
    }

    /** Units that are buffered. */
    public int buffered() {
        return buffer.size();
    }
}
