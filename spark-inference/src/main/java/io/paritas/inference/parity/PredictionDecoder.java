/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Reconstructs the missing predictions of a group from the others and the parity models' answers. One missing prediction is the
 * answer minus the others (thesis, 8.2.1); e missing ones are the solution of e equations. Thread-safe.
 *
 * <p>With {@link Target#OUTPUTS}, reconstructions approximate outputs of the deployed model, otherwise probabilities.
 *
 * <p>A reconstruction with a value that is not finite is none: enough answers may have arrived, and predictions still stay
 * missing. Predictions and answers that are not finite, and sums beyond the range of float32, cause this.
 */
@PublicApi
public final class PredictionDecoder implements GroupDecoder {
    private final Combinations code;
    private final Target target;

    /** A decoder for parity models of that code and target. */
    public PredictionDecoder(Combinations code, Target target) {
        this.code = code;
        this.target = target;
    }

    @Override
    public BitSet decode(float[][] predictions, float[][] answers) {
        code.requireMembers(predictions.length);
        if (answers.length != code.r()) {
            throw new IllegalArgumentException("there must be an answer or null for each of the r = " + code.r()
                    + " parity models, got " + answers.length);
        }
        int size = commonSize(predictions, answers);
        int[] missing = indices(predictions, true);
        int[] present = indices(answers, false);
        BitSet reconstructed = new BitSet();
        if (missing.length == 0 || missing.length > present.length) {
            return reconstructed;
        }
        double[][] sums = new double[missing.length][];
        double[][] system = new double[missing.length][missing.length];
        for (int row = 0; row < missing.length; row++) {
            int parity = present[row];
            sums[row] = remaining(parity, answers[parity], predictions, size);
            for (int column = 0; column < missing.length; column++) {
                system[row][column] = code.weight(parity, missing[column], predictions.length);
            }
        }
        LinearSystem.solve(system, sums);
        for (int i = 0; i < missing.length; i++) {
            float[] values = finiteOrNull(sums[i]);
            if (values != null) {
                predictions[missing[i]] = values;
                reconstructed.set(missing[i]);
            }
        }
        return reconstructed;
    }

    /** A parity's answer minus the weighted available predictions. */
    private double[] remaining(int parity, float[] answer, float[][] predictions, int size) {
        float[] combination = target.ofParity(answer, code.total(parity));
        double[] result = new double[size];
        for (int i = 0; i < size; i++) {
            result[i] = combination[i];
        }
        for (int member = 0; member < predictions.length; member++) {
            if (predictions[member] != null) {
                float[] values = target.ofPrediction(predictions[member]);
                double weight = code.weight(parity, member, predictions.length);
                for (int i = 0; i < size; i++) {
                    result[i] -= weight * values[i];
                }
            }
        }
        return result;
    }

    private static int[] indices(float[][] rows, boolean absent) {
        int[] found = new int[rows.length];
        int count = 0;
        for (int i = 0; i < rows.length; i++) {
            if ((rows[i] == null) == absent) {
                found[count++] = i;
            }
        }
        return Arrays.copyOf(found, count);
    }

    private static int commonSize(float[][] predictions, float[][] answers) {
        int size = -1;
        for (float[][] rows : new float[][][] {predictions, answers}) {
            for (float[] row : rows) {
                if (row != null && size >= 0 && row.length != size) {
                    throw new IllegalArgumentException(
                            "predictions and answers must have the same number of values, got " + size + " and "
                                    + row.length);
                }
                size = row == null ? size : row.length;
            }
        }
        return size;
    }

    /** The values as float32; null if one of them is not finite. */
    private static float[] finiteOrNull(double[] values) {
        float[] result = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = (float) values[i];
            if (!Float.isFinite(result[i])) {
                return null;
            }
        }
        return result;
    }
}
