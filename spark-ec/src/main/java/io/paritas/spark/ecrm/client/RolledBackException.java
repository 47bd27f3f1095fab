/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

/**
 * All servers have gone back to the last checkpoint, because one of them failed and nothing else had its rows. Whatever was committed since
 * the checkpoint is undone, and is to be done again. Thrown once for each time; what is asked for next is what was restored.
 */
public final class RolledBackException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int rollbacks;

    RolledBackException(int rollbacks) {
        super("A server failed, and all have gone back to the last checkpoint, for the " + rollbacks
                + ". time: train again from there");
        this.rollbacks = rollbacks;
    }

    /** How often servers have gone back so far. */
    public int rollbacks() {
        return rollbacks;
    }
}
