/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.spark.ecrm.placement.StripePlacement;
import java.util.BitSet;
import java.util.concurrent.CancellationException;

/**
 * One server's units of one table: data and parity units with optimizer state, outside the heap. While stripes are
 * frozen, their stored units do not change, and updates go to a buffer. Not thread-safe.
 */
public final class Shard {
    /** How many rows are touched together. */
    private static final int TOGETHER = 16;

    private final int number;
    private final int server;
    private final TableSpec table;
    private final StripePlacement placement;
    private final RowCode code;
    private final Slab data;
    private final Slab parity;
    private final BitSet missingData = new BitSet();
    private final BitSet missingParity = new BitSet();
    private long missing;
    /** Units with buffered updates, by stripe from the first frozen one on: of a stripe, a server has one unit. */
    private int[][] buffer = {};

    private int buffered;
    private long frozenFrom;
    private long frozenTo;
    private long updatedRows;
    private long parityBytes;
    private long recovered;
    /** What was read to touch units: without a use, it would not be read. */
    @SuppressWarnings("UnusedVariable")
    private int touched;

    // Used by each update again: the floats of a row before and after it, their difference, and the words of a unit.
    private final float[] before;
    private final float[] after;
    private final int[] delta;
    private final int[] updated;
    // And the arrays of an optimizer's step.
    private final float[] parameters;
    private final float[] state;
    private final float[] slope;

    private Shard(ModelSpec model, int number, int server) {
        this.number = number;
        this.server = server;
        this.table = model.tables().get(number);
        this.placement = model.stripes();
        this.code = RowCode.of(model);
        this.data = new Slab(placement.dataSlots(table.rows()), 1 + table.words());
        this.parity = new Slab(placement.paritySlots(table.rows()), placement.k() + table.words());
        this.before = new float[table.words()];
        this.after = new float[table.words()];
        this.delta = new int[table.words()];
        this.updated = new int[table.words()];
        this.parameters = new float[table.width()];
        this.state = new float[table.words() - table.width()];
        this.slope = new float[table.width()];
    }

    /**
     * Returns a shard with all units of an initial state.
     *
     * @throws CancellationException if the thread is interrupted: it may take long, and the memory is needed
     */
    public static Shard of(ModelSpec model, int table, int server, InitialState initialState) {
        Shard shard = new Shard(model, table, server);
        for (long stripe = 0; stripe < shard.stripes(); stripe++) {
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("part of a table must not be interrupted while it is built");
            }
            int unit = shard.placement.unitOn(server, stripe);
            if (unit >= 0) {
                shard.store(stripe, unit, shard.read(initialState, stripe, unit));
            }
        }
        return shard;
    }

    /** Returns a shard whose units are all missing: in every S consecutive stripes k data units and r parity units. */
    public static Shard empty(ModelSpec model, int table, int server) {
        Shard shard = new Shard(model, table, server);
        long cycles = shard.stripes() / model.servers();
        shard.missingData.set(0, (int) (cycles * shard.placement.k()));
        shard.missingParity.set(0, (int) (cycles * (shard.placement.units() - shard.placement.k())));
        for (long stripe = cycles * model.servers(); stripe < shard.stripes(); stripe++) {
            int unit = shard.placement.unitOn(server, stripe);
            if (unit >= 0) {
                shard.missing(unit).set((int) shard.placement.slot(stripe, unit));
            }
        }
        shard.missing = (long) shard.missingData.cardinality() + shard.missingParity.cardinality();
        return shard;
    }

    private int[] read(InitialState initialState, long stripe, int unit) {
        if (unit < placement.k()) {
            return initialState.row(number, stripe * placement.k() + unit);
        }
        int[][] all = new int[placement.k()][];
        for (int other = 0; other < placement.k(); other++) {
            all[other] = read(initialState, stripe, other);
        }
        return code.encode(unit, all);
    }

    /** Returns the number of stripes of the table, on all servers. */
    public long stripes() {
        return placement.stripes(table.rows());
    }

    private BitSet missing(int unit) {
        return unit < placement.k() ? missingData : missingParity;
    }

    /** Whether a unit of this server is missing. */
    public boolean isMissing(long stripe, int unit) {
        return missing > 0 && missing(unit).get((int) placement.slot(stripe, unit));
    }

    /** Returns the data units of {@code count} slots: versions, then the bits of parameters and state. */
    public int[][] rows(long firstSlot, int count) {
        int[][] rows = new int[count][];
        for (int i = 0; i < count; i++) {
            rows[i] = data.get(firstSlot + i);
        }
        return rows;
    }

    /** Returns the number of missing units. */
    public long missing() {
        return missing;
    }

    /** Stores a missing unit. */
    public void recover(long stripe, int unit, int[] words) {
        store(stripe, unit, words);
        missing(unit).clear((int) placement.slot(stripe, unit));
        missing--;
        recovered++;
    }

    /** Returns the number of units that have been recovered. */
    public long recovered() {
        return recovered;
    }

    private void store(long stripe, int unit, int[] words) {
        slab(unit).put(placement.slot(stripe, unit), words);
    }

    private Slab slab(int unit) {
        return unit < placement.k() ? data : parity;
    }

    private boolean isFrozen(long stripe) {
        return stripe >= frozenFrom && stripe < frozenTo;
    }

    /** Returns this server's unit of a stripe with buffered updates; null if it has none. */
    private int[] buffered(long stripe) {
        return isFrozen(stripe) ? buffer[(int) (stripe - frozenFrom)] : null;
    }

    /** Returns the unit of a frozen stripe in the buffer, where it may be changed. */
    private int[] buffer(long stripe, int unit) {
        int at = (int) (stripe - frozenFrom);
        if (buffer[at] == null) {
            buffer[at] = frozen(stripe, unit);
            buffered++;
        }
        return buffer[at];
    }

    /** Returns a unit with all updates: its versions, then the bits of its floats. */
    public int[] newest(long stripe, int unit) {
        int[] buffered = buffered(stripe);
        return buffered != null ? buffered.clone() : frozen(stripe, unit);
    }

    /** Copies floats of a row with all updates: the first {@code count} of its parameters and its optimizer state. */
    public void read(long stripe, int unit, float[] to, int at, int count) {
        int[] buffered = buffered(stripe);
        if (buffered == null) {
            data.get(placement.slot(stripe, unit), 1, to, at, count);
        } else {
            for (int i = 0; i < count; i++) {
                to[at + i] = Float.intBitsToFloat(buffered[1 + i]);
            }
        }
    }

    /** Returns a unit without buffered updates. */
    public int[] frozen(long stripe, int unit) {
        return slab(unit).get(placement.slot(stripe, unit));
    }

    /** Copies the first {@code count} words of a unit with all updates. */
    public void newest(long stripe, int unit, int[] to, int at, int count) {
        int[] buffered = buffered(stripe);
        if (buffered == null) {
            frozen(stripe, unit, to, at, count);
        } else {
            System.arraycopy(buffered, 0, to, at, count);
        }
    }

    /** Copies the first {@code count} words of a unit without buffered updates. */
    public void frozen(long stripe, int unit, int[] to, int at, int count) {
        slab(unit).get(placement.slot(stripe, unit), to, at, count);
    }

    /** Returns the version of a data unit, as recorded in {@code unit}: the number of its updates. */
    public int version(long stripe, int unit, int dataUnit) {
        int[] buffered = buffered(stripe);
        int at = RowCode.versionAt(unit, dataUnit);
        return buffered != null ? buffered[at] : slab(unit).word(placement.slot(stripe, unit), at);
    }

    /**
     * Computes what a gradient adds to a row and its parity, without applying it.
     *
     * @param from index of the gradient of the first parameter
     * @param to receives the difference of each float of the row, from {@code at} on
     */
    public void difference(long stripe, int unit, float[] gradient, int from, int[] to, int at) {
        read(stripe, unit, before, 0, before.length);
        difference(gradient, from, to, at);
    }

    /**
     * Computes what a gradient adds to a row that has some updates more than this shard: {@code row} has its version and
     * floats.
     */
    public void difference(int[] row, float[] gradient, int from, int[] to, int at) {
        for (int i = 0; i < before.length; i++) {
            before[i] = Float.intBitsToFloat(row[1 + i]);
        }
        difference(gradient, from, to, at);
    }

    private void difference(float[] gradient, int from, int[] to, int at) {
        step(gradient, from);
        code.difference(before, after, delta);
        System.arraycopy(delta, 0, to, at, delta.length);
    }

    /** Adds a difference to a row, given by its version and floats. */
    public void add(int[] row, int[] words, int at) {
        System.arraycopy(words, at, delta, 0, delta.length);
        code.update(row, 0, 0, delta);
    }

    /** Applies a gradient to a row, and computes its {@link #difference}. */
    public void update(long stripe, int unit, float[] gradient, int from, int[] to, int at) {
        difference(stripe, unit, gradient, from, to, at);
        code.round(before, after, delta);
        put(stripe, unit);
    }

    /** Applies a gradient to a row without parity. */
    public void update(long stripe, int unit, float[] gradient, int from) {
        read(stripe, unit, before, 0, before.length);
        step(gradient, from);
        put(stripe, unit);
    }

    private void step(float[] gradient, int from) {
        System.arraycopy(before, 0, parameters, 0, parameters.length);
        System.arraycopy(before, parameters.length, state, 0, state.length);
        System.arraycopy(gradient, from, slope, 0, slope.length);
        table.optimizer().step(parameters, state, slope);
        System.arraycopy(parameters, 0, after, 0, parameters.length);
        System.arraycopy(state, 0, after, parameters.length, state.length);
    }

    /** Replaces a row by what {@link #step} has made of it. */
    private void put(long stripe, int unit) {
        updatedRows++;
        if (isFrozen(stripe)) {
            int[] words = buffer(stripe, unit);
            words[0]++;
            for (int i = 0; i < after.length; i++) {
                words[1 + i] = Float.floatToRawIntBits(after[i]);
            }
        } else {
            long slot = placement.slot(stripe, unit);
            data.increment(slot, 0);
            data.put(slot, 1, after);
        }
    }

    /**
     * Adds a difference of a row to its data unit or to its parity unit.
     *
     * @param words with the difference of each float of the row, from {@code at} on
     */
    public void add(long stripe, int unit, int dataUnit, int[] words, int at) {
        if (unit < placement.k()) {
            updatedRows++;
        } else {
            parityBytes += (long) Integer.BYTES * delta.length;
        }
        System.arraycopy(words, at, delta, 0, delta.length);
        code.scale(unit, dataUnit, delta, updated);
        if (isFrozen(stripe)) {
            code.update(buffer(stripe, unit), unit, dataUnit, delta);
        } else {
            Slab slab = slab(unit);
            long slot = placement.slot(stripe, unit);
            slab.increment(slot, RowCode.versionAt(unit, dataUnit));
            slab.get(slot, code.header(unit), updated);
            code.add(updated, delta);
            slab.put(slot, code.header(unit), updated);
        }
    }

    /**
     * Is called before each row of an array is used, from the first to the last: at every {@value #TOGETHER}th it brings so many into the
     * processor's caches. It waits for memory once for all of them, where their updates would wait for each.
     */
    public void touchRows(long[] rows, int next) {
        if (next % TOGETHER != 0) {
            return;
        }
        int sum = 0;
        for (int i = next; i < Math.min(rows.length, next + TOGETHER); i++) {
            sum += data.touch(placement.slot(placement.stripe(rows[i]), placement.unit(rows[i])), 1 + updated.length);
        }
        touched += sum;
    }

    /** As {@link #touchRows}, for the parities of rows on this server. */
    public void touchParities(long[] rows, int next) {
        if (next % TOGETHER == 0) {
            touchParities(rows, next, Math.min(rows.length, next + TOGETHER), placement.k() + updated.length);
        }
    }

    /** Brings the versions in the parities of all these rows into the caches. */
    public void touchVersions(long[] rows) {
        touchParities(rows, 0, rows.length, placement.k());
    }

    private void touchParities(long[] rows, int from, int to, int words) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            long stripe = placement.stripe(rows[i]);
            sum += parity.touch(placement.slot(stripe, placement.unitOn(server, stripe)), words);
        }
        touched += sum;
    }

    /** Returns the number of updates of data units so far. */
    public long updatedRows() {
        return updatedRows;
    }

    /** Returns the bytes of differences added to parity units so far. */
    public long parityBytes() {
        return parityBytes;
    }

    /** Freezes the stripes from {@code from} to {@code to}, exclusive, instead of those frozen before. */
    public void freeze(long from, long to) {
        thaw();
        buffer = new int[Math.toIntExact(Math.max(0, to - from))][];
        frozenFrom = from;
        frozenTo = to;
    }

    /** Stores the buffered updates; no stripe is frozen any more. */
    public void thaw() {
        for (int i = 0; i < buffer.length && buffered > 0; i++) {
            if (buffer[i] != null) {
                long stripe = frozenFrom + i;
                store(stripe, placement.unitOn(server, stripe), buffer[i]);
                buffered--;
            }
        }
        buffer = new int[0][];
        frozenFrom = 0;
        frozenTo = 0;
    }

    /** Returns the number of units with buffered updates. */
    public int buffered() {
        return buffered;
    }
}
