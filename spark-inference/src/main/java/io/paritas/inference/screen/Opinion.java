/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

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
     * How far right predictions that were summed in different orders may be apart, of the largest value that is usual for the model: the
     * values of a row may all be near zero, and their roundings are not.
     */
    private static final double TOLERANCE = 1e-3;

    /** The same, as of another processor. */
    Opinion on(String other) {
        return new Opinion(executor, host, other, outputs);
    }

    /**
     * Whether both can be right.
     *
     * @param whole whether both are of the whole batch: then they are equal in every bit on equal processors
     * @param usual what is known of the size of the model's predictions
     */
    boolean agrees(Opinion other, boolean whole, Magnitude usual) {
        if (outputs.length != other.outputs.length) {
            return false;
        }
        return (whole && isOn(other.platform))
                ? Difference.isNone(outputs, other.outputs)
                : isNear(other.outputs, usual.plus(Magnitude.of(outputs)).largest());
    }

    boolean isOn(String processor) {
        return platform.equals(processor);
    }

    private boolean isNear(float[] others, double largest) {
        for (int i = 0; i < outputs.length; i++) {
            boolean finite = Float.isFinite(outputs[i]) && Float.isFinite(others[i]);
            boolean near = finite
                    ? Math.abs((double) outputs[i] - others[i]) <= TOLERANCE * largest
                    : Float.compare(outputs[i], others[i]) == 0;
            if (!near) {
                return false;
            }
        }
        return true;
    }
}
