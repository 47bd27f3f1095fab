/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

/**
 * What happened while a model was trained.
 *
 * @param seconds since the training began
 * @param kind what
 * @param text for people, such as {@code server 2 is lost}
 */
public record TrainingEvent(double seconds, Kind kind, String text) {
    /** Kinds of events. */
    public enum Kind {
        /** A server is gone; its rows are decoded from the others. */
        SERVER_LOST,
        /** Another task has taken its place, and updates of its rows go on. */
        SERVER_REPLACED,
        /** All servers have all that they should; another one may fail. */
        RECOVERED,
        /** A checkpoint is being written; updates wait. */
        CHECKPOINT_BEGUN,
        /** It is written. */
        CHECKPOINT_WRITTEN,
        /** It is not, because a server failed or was being recovered; another one will be tried. */
        CHECKPOINT_FAILED,
        /** All servers went back to a checkpoint; what was trained since is trained again. */
        ROLLED_BACK,
        /** All batches of an epoch are committed. */
        EPOCH_TRAINED,
        /** The model was evaluated. */
        EVALUATED
    }
}
