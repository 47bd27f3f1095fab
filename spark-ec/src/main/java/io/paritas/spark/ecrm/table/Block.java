/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Arrays;

/** A replica of a block: its parameters, optimizer state, and number of updates. Not thread-safe. */
public final class Block {
    private final BlockSpec spec;
    /** Null while missing, as the state. */
    private float[] parameters;

    private float[] state;
    /** Whether somebody else has the array of the parameters. */
    private boolean shared;

    private long updates;

    private Block(BlockSpec spec) {
        this.spec = spec;
    }

    /** Returns a block before its first update. */
    public static Block initial(BlockSpec spec) {
        Block block = new Block(spec);
        block.copy(spec.fresh(), 0);
        return block;
    }

    /** Returns a block that is missing until {@link #copy}. */
    public static Block empty(BlockSpec spec) {
        return new Block(spec);
    }

    /** Whether the block has no parameters yet. */
    public boolean isMissing() {
        return parameters == null;
    }

    /** Returns the number of updates so far. */
    public long updates() {
        return updates;
    }

    /** Returns a copy of the parameters. */
    public float[] parameters() {
        return parameters.clone();
    }

    /** Returns the array of the parameters, which stays as it is: the next update makes another one. */
    public float[] share() {
        shared = true;
        return parameters;
    }

    /** Copies the parameters; returns their number. */
    public int read(float[] to, int at) {
        System.arraycopy(parameters, 0, to, at, parameters.length);
        return parameters.length;
    }

    /** Returns a copy of the parameters, then the optimizer state. */
    public float[] all() {
        float[] all = Arrays.copyOf(parameters, parameters.length + state.length);
        System.arraycopy(state, 0, all, parameters.length, state.length);
        return all;
    }

    /** Returns a number of {@link #all}. */
    public float value(int at) {
        return at < parameters.length ? parameters[at] : state[at - parameters.length];
    }

    /** Sets the block to the state of another replica. */
    public void copy(float[] everything, long itsUpdates) {
        parameters = Arrays.copyOf(everything, spec.size());
        shared = false;
        state = Arrays.copyOfRange(everything, spec.size(), everything.length);
        updates = itsUpdates;
    }

    /** Applies a gradient. */
    public void update(float[] gradient) {
        if (shared) {
            parameters = parameters.clone();
            shared = false;
        }
        spec.optimizer().step(parameters, state, gradient);
        updates++;
    }
}
