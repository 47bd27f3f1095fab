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
    /** How far right predictions of different processors may be apart, of the largest value of the batch. */
    private static final double TOLERANCE = 1e-3;

    /** The same, as of another processor. */
    Opinion on(String other) {
        return new Opinion(executor, host, other, outputs);
    }

    /** Whether both can be right. */
    boolean agrees(Opinion other, boolean whole) {
        if (outputs.length != other.outputs.length) {
            return false;
        }
        return (whole && platform.equals(other.platform))
                ? Difference.isNone(outputs, other.outputs)
                : isNear(other.outputs);
    }

    private boolean isNear(float[] others) {
        double largest = 0;
        for (float value : outputs) {
            largest = Float.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest;
        }
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
