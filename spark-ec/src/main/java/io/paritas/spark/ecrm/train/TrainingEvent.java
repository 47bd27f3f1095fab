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
        /** All batches of an epoch are committed. */
        EPOCH_TRAINED,
        /** The model was evaluated. */
        EVALUATED
    }
}
