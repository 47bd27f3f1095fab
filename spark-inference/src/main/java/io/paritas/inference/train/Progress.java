/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

/** Told how a training goes on, by the thread that trains. */
public interface Progress {
    /** Tells nobody. */
    Progress NONE = new Progress() {};

    /** Training starts, or goes on behind some epochs of a checkpoint. */
    default void started(String what, int epochs, int resumedAfter) {}

    /** One batch more of an epoch. */
    default void batch(int epoch, int done, int batches, double loss) {}

    default void epoch(Epoch epoch, boolean best) {}
}
