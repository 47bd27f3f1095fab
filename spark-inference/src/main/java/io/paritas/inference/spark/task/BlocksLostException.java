/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** Says that predictions known to the coordinator are lost, with the executor that had them. */
final class BlocksLostException extends Exception {
    private static final long serialVersionUID = 1;

    private final int place;

    BlocksLostException(int place) {
        super("the predictions of the segment at place " + place + " of the stripe are gone");
        this.place = place;
    }

    /** Place in the stripe of the segment whose predictions are lost. */
    int place() {
        return place;
    }
}
