/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;
import java.util.Optional;

/** Listens to a training; called by the thread that trains. */
@PublicApi
public interface Progress {
    /** Ignores everything. */
    Progress NONE = new Progress() {};

    /**
     * A training starts.
     *
     * @param what the objective's description
     * @param epochs at most
     * @param resumedAfter epochs that a checkpoint already has; 0 without one
     */
    default void started(String what, int epochs, int resumedAfter) {}

    /**
     * A batch has ended.
     *
     * @param epoch its number, from 1
     * @param done batches of this epoch so far
     * @param batches of this epoch in all
     * @param loss of the batch
     */
    default void batch(int epoch, int done, int batches, double loss) {}

    /**
     * An epoch has ended.
     *
     * @param epoch what it came to
     * @param best the best epoch so far, this one included; empty if none was eligible
     */
    default void epoch(Epoch epoch, Optional<Epoch> best) {}
}
