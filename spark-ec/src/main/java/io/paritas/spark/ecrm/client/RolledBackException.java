/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.PublicApi;

/**
 * Thrown when all servers have gone back to the last checkpoint, because more of them failed at once than the
 * redundancy of the model tolerates. All commits since the checkpoint are undone; the worker trains again from there.
 * Thrown once for each rollback; the next operation uses the restored state.
 */
@PublicApi
public final class RolledBackException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int rollbacks;

    RolledBackException(int rollbacks) {
        super("all servers have gone back to the last checkpoint because rows or blocks were lost, rollback "
                + rollbacks + ": train again from there");
        this.rollbacks = rollbacks;
    }

    /** Returns the number of rollbacks so far. */
    public int rollbacks() {
        return rollbacks;
    }
}
