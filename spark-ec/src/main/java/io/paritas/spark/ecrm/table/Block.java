/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Arrays;

/** A replica of a block: its parameters, optimizer state, and number of updates. Not thread-safe. */
public final class Block {
    private final BlockSpec spec;
    /** The parameters, then the optimizer state; null while missing. */
    private float[] all;

    private long updates;

    private Block(BlockSpec spec, float[] all) {
        this.spec = spec;
        this.all = all;
    }

    /** Returns a block before its first update. */
    public static Block initial(BlockSpec spec) {
        return new Block(spec, spec.fresh());
    }

    /** Returns a block that is missing until {@link #copy}. */
    public static Block empty(BlockSpec spec) {
        return new Block(spec, null);
    }

    /** Whether the block has no parameters yet. */
    public boolean isMissing() {
        return all == null;
    }

    /** Returns the number of updates so far. */
    public long updates() {
        return updates;
    }

    /** Returns a copy of the parameters. */
    public float[] parameters() {
        return Arrays.copyOf(all, spec.size());
    }

    /** Copies the parameters; returns their number. */
    public int read(float[] to, int at) {
        System.arraycopy(all, 0, to, at, spec.size());
        return spec.size();
    }

    /** Returns a copy of the parameters, then the optimizer state. */
    public float[] all() {
        return all.clone();
    }

    /** Sets the block to the state of another replica. */
    public void copy(float[] everything, long itsUpdates) {
        all = everything.clone();
        updates = itsUpdates;
    }

    /** Applies a gradient. */
    public void update(float[] gradient) {
        spec.optimizer().step(all, spec.size(), gradient, 0);
        updates++;
    }
}
