/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;

/**
 * An event of a training.
 *
 * @param seconds time since the training began
 * @param kind kind of the event
 * @param text text for people, for example {@code all servers are recovered}
 */
@PublicApi
public record TrainingEvent(double seconds, Kind kind, String text) {
    /** Kinds of events. */
    @PublicApi
    public enum Kind {
        /** A server is lost; reads of its rows are decoded from the others. */
        SERVER_LOST,
        /** Another task has replaced it, and updates of its rows go on. */
        SERVER_REPLACED,
        /** All servers have all their rows and parities again; another one may fail. */
        RECOVERED,
        /** A checkpoint begins; updates wait. */
        CHECKPOINT_BEGUN,
        /** The checkpoint is written. */
        CHECKPOINT_WRITTEN,
        /**
         * The checkpoint is abandoned, because a server failed or was being recovered, or the folder cannot be written any more;
         * another one will be tried.
         */
        CHECKPOINT_FAILED,
        /** All servers returned to a checkpoint; batches since then are trained again. */
        ROLLED_BACK,
        /** All batches of an epoch are committed; a resumed training tells so of those that were committed before, too. */
        EPOCH_TRAINED,
        /** The model was evaluated. */
        EVALUATED,
        /** Evaluations have not become better for long enough; the epochs that are left are not trained. */
        STOPPED_EARLY
    }
}
