/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

/** Hears of a training, on the thread that trains: what takes long here delays what is heard next, but not the workers. */
public interface TrainingListener {
    /** Hears nothing. */
    TrainingListener NONE = new TrainingListener() {};

    /** An interval has ended. */
    default void progress(TrainingProgress progress) {}

    /** Something happened. */
    default void event(TrainingEvent event) {}
}
