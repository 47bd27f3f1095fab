/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.ServedModel;
import java.util.Arrays;
import java.util.Collection;

/** The outputs that a request may name: that of the model, and the outcome of each row. */
public final class OutputTensor {
    /** The output with the outcome of each row, and the parameter with the weakest outcome. */
    public static final String OUTCOME = "paritas_outcome";

    /** The most bytes of an outcome, with the length before it; with quotes and a comma in JSON it has no more. */
    public static final int LABEL_BYTES = Integer.BYTES
            + Arrays.stream(Outcome.values())
                    .mapToInt(outcome -> outcome.label().length())
                    .max()
                    .orElseThrow();

    private OutputTensor() {}

    /**
     * Checks an output that a request names.
     *
     * @param parameters their names
     * @param named the names before, to which it is added
     * @throws IllegalArgumentException if there is no such output, or it was named before
     */
    public static void require(ServedModel model, String name, Iterable<String> parameters, Collection<String> named) {
        if (!name.equals(model.output().name()) && !name.equals(OUTCOME)) {
            throw new IllegalArgumentException("an output of the model " + model + " must be '"
                    + model.output().name() + "' or '" + OUTCOME + "', got '" + name + "'");
        }
        if (named.contains(name)) {
            throw new IllegalArgumentException("an output must be named once, got '" + name + "' again");
        }
        InputTensor.requireKnown(name, parameters);
        named.add(name);
    }

    /**
     * Checks that a reply is short enough, before the queries are sent: what is too long to write need not be computed.
     *
     * @param bytesPerRow the most bytes of all outputs
     * @param advice what else a client can do
     * @throws IllegalArgumentException if it might be longer
     */
    public static void requireShort(int rows, long bytesPerRow, long mostBytes, String advice) {
        if (bytesPerRow > mostBytes / rows) {
            throw new IllegalArgumentException("the outputs of a reply must have at most " + mostBytes + " bytes, got "
                    + rows + " rows of up to " + bytesPerRow + ": send fewer rows at once" + advice);
        }
    }
}
