/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;

/** A listener of a training, called on the training thread: slow listeners delay later calls, but not the workers. */
@PublicApi
public interface TrainingListener {
    /** A listener that does nothing. */
    TrainingListener NONE = new TrainingListener() {};

    /** Called when an interval ends. */
    default void progress(TrainingProgress progress) {}

    /** Called for each event. */
    default void event(TrainingEvent event) {}
}
