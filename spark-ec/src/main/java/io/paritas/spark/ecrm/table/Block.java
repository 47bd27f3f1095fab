/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Arrays;

/**
 * A replica of a block of the neural network: its parameters, the optimizer's state, and how many updates they have had. Not
 * thread-safe.
 */
public final class Block {
    private final BlockSpec spec;
    private float[] all;
    private long updates;

    private Block(BlockSpec spec, float[] all) {
        this.spec = spec;
        this.all = all;
    }

    /** As it is before the first update. */
    public static Block initial(BlockSpec spec) {
        return new Block(spec, spec.fresh());
    }

    /** Which waits for {@link #copy}. */
    public static Block empty(BlockSpec spec) {
        return new Block(spec, null);
    }

    public boolean isMissing() {
        return all == null;
    }

    public long updates() {
        return updates;
    }

    public float[] parameters() {
        return Arrays.copyOf(all, spec.size());
    }

    /** The parameters, then the state. */
    public float[] all() {
        return all.clone();
    }

    /** What the other replica has. */
    public void copy(float[] everything, long itsUpdates) {
        all = everything.clone();
        updates = itsUpdates;
    }

    public void update(float[] gradient) {
        spec.optimizer().step(all, spec.size(), gradient, 0);
        updates++;
    }
}
