/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** Predictions that the coordinator knew of are gone, with the executor that had them. */
final class BlocksLostException extends Exception {
    private static final long serialVersionUID = 1;

    private final int place;

    BlocksLostException(int place) {
        super("the predictions of the unit at place " + place + " of the stripe are gone");
        this.place = place;
    }

    /** Whose predictions, in the stripe. */
    int place() {
        return place;
    }
}
