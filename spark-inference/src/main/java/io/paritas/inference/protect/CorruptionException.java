/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.ModelException;

/** Thrown if a layer computes wrong values twice in a row; its batch has no predictions. */
public final class CorruptionException extends ModelException {
    private static final long serialVersionUID = 1;

    private final String layer;

    CorruptionException(String layer, int rows, String where) {
        super("wrong values were found in " + layer + " of a batch of " + rows
                + " rows, and again when it was computed once more: the batch is not answered; if values overflow float32,"
                + " the model is at fault, otherwise " + where + " is: take it out of service and test it");
        this.layer = layer;
    }

    /** The layer, as in {@code Conv 'layer1.conv'}. */
    public String layer() {
        return layer;
    }
}
