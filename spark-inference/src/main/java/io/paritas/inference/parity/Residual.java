/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;

/**
 * How far a parity model's answer is from the combination of a group's predictions that it stands for. Where all are there, a large
 * residual says that one of them is wrong, and not which one. Thread-safe.
 */
@PublicApi
public final class Residual {
    private final Combinations code;
    private final Target target;

    /** Residuals of parity models of that code and target. */
    public Residual(Combinations code, Target target) {
        this.code = code;
        this.target = target;
    }

    /**
     * The residual of a group.
     *
     * @param parity number of the parity model, 0 to r − 1
     * @param predictions of all members of the group, 1 to k of them
     * @param answer of the parity model
     * @return the largest distance of a value from the combination; infinite if a value is not finite
     */
    public double of(int parity, float[][] predictions, float[] answer) {
        code.requireMembers(predictions.length);
        float[] combination = target.ofParity(answer, code.total(parity));
        double[] rest = new double[combination.length];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = combination[i];
        }
        for (int member = 0; member < predictions.length; member++) {
            float[] values = target.ofPrediction(predictions[member]);
            double weight = code.weight(parity, member, predictions.length);
            for (int i = 0; i < rest.length; i++) {
                rest[i] -= weight * values[i];
            }
        }
        double largest = 0;
        for (double value : rest) {
            if (!Double.isFinite(value)) {
                return Double.POSITIVE_INFINITY;
            }
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }
}
