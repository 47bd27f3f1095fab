/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.stream.IntStream;

/**
 * The predictions of a batch by one executor.
 *
 * @param executor the executor
 * @param host its host
 * @param platform its processor: only on equal ones, sums have one order and predictions are equal in every bit
 * @param outputs the predictions, row by row
 */
record Opinion(String executor, String host, String platform, float[] outputs) {
    /**
     * How far right predictions that were summed in different orders may be apart, of their own size or of what is usual for the model,
     * whichever is more: the values of a row may all be near zero, and their roundings are not.
     */
    private static final double TOLERANCE = 1e-3;

    /** The same, as of another processor. */
    Opinion on(String other) {
        return new Opinion(executor, host, other, outputs);
    }

    /** Whether both are equal in every bit, as right ones of a whole batch are on equal processors. */
    boolean isEqual(Opinion other) {
        return outputs.length == other.outputs.length && Difference.isNone(outputs, other.outputs);
    }

    /**
     * Whether both can be right, with sums in different orders.
     *
     * @param usual how large the model's predictions usually are
     */
    boolean isNear(Opinion other, double usual) {
        return outputs.length == other.outputs.length
                && IntStream.range(0, outputs.length).allMatch(i -> isNear(outputs[i], other.outputs[i], usual));
    }

    boolean isOn(String processor) {
        return platform.equals(processor);
    }

    /** Whether a value of one is finite, and the other one's is not: no order of sums explains that, whatever is usual. */
    boolean differsInKind(Opinion other) {
        return IntStream.range(0, outputs.length)
                .anyMatch(i -> Float.isFinite(outputs[i]) != Float.isFinite(other.outputs[i]));
    }

    private static boolean isNear(float one, float other, double usual) {
        if (!Float.isFinite(one) || !Float.isFinite(other)) {
            return Float.compare(one, other) == 0;
        }
        double largest = Math.max(usual, Math.max(Math.abs(one), Math.abs(other)));
        return Math.abs((double) one - other) <= TOLERANCE * largest;
    }
}
