/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import java.util.List;

/**
 * An output that a request wants.
 *
 * @param name that of the model's output, or {@link OutputTensor#OUTCOME}
 * @param binary as bytes, or in the fields of the message
 * @param classes how many of the largest values are wanted in place of all; 0 for all
 */
public record WantedOutput(String name, boolean binary, int classes) {

    /** The values of the model's output. */
    public static WantedOutput values(ServedModel model, boolean asBytes) {
        return new WantedOutput(model.output().name(), asBytes, 0);
    }

    private boolean isOutcome() {
        return name.equals(OutputTensor.OUTCOME);
    }

    /** Whether it consists of texts, not of numbers. */
    public boolean isText() {
        return isOutcome() || classes > 0;
    }

    /** The texts of a row: its outcome, or its classes. */
    public List<String> texts(Reply reply) {
        return isOutcome() ? List.of(reply.outcome().label()) : Classification.largest(reply.values(), classes);
    }

    /** The shape behind the number of rows. */
    public List<Integer> shape(ServedModel model) {
        if (isOutcome()) {
            return List.of();
        }
        return classes > 0 ? List.of(classes) : model.output().shape();
    }

    /** The most bytes of a row, where a number takes this many. */
    public long bytesPerRow(ServedModel model, int numberBytes) {
        if (isOutcome()) {
            return OutputTensor.LABEL_BYTES;
        }
        return classes > 0
                ? (long) classes * Classification.CLASS_BYTES
                : (long) model.output().size() * numberBytes;
    }
}
