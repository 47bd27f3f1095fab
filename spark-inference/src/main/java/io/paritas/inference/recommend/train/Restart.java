/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

/** With which epoch a training goes on when all servers have gone back to the last checkpoint. Not thread-safe. */
final class Restart {
    /** How often servers had gone back when the training last heard of it. */
    private int rollbacks;

    /** The epoch of the last checkpoint. */
    private int epoch;

    int rollbacks() {
        return rollbacks;
    }

    /** Whether servers, which have gone back so often, have done so since the training last heard of it. */
    boolean isDue(int rollbacksNow) {
        return rollbacksNow > rollbacks;
    }

    /**
     * Records that a checkpoint was written while an epoch was trained. If servers have gone back meanwhile, its tasks go on until the
     * training hears of it, with a state that may lack batches of epochs before: these are still to be trained.
     */
    void written(int during, int rollbacksNow) {
        if (!isDue(rollbacksNow)) {
            epoch = during;
        }
    }

    /** Returns the epoch to go on with. */
    int goBack(int rollbacksNow) {
        rollbacks = rollbacksNow;
        return epoch;
    }
}
