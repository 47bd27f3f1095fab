/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * Reconstructs e lost predictions from the available ones and e predictions of parity models ("answers"), for batches on the
 * GPU (thesis, 8.2.1). It computes in float64; for one lost prediction the bits are the CPU's. Immutable and thread-safe.
 */
public final class ParityDecoder {
    private static final int MEMBERS = CodingKernels.MEMBERS;
    private static final int EQUATIONS = 64;

    private final double[][] available;
    private final double[][] inverse;

    /**
     * Creates a decoder for a pattern of losses.
     *
     * @param available for each answer that is used, the weight of each available member
     * @param lost for each of these answers, the weight of each lost member: a regular square matrix
     */
    public ParityDecoder(double[][] available, double[][] lost) {
        int equations = lost.length;
        int members = available.length == 0 ? 0 : available[0].length;
        if (equations < 1 || equations != available.length || equations + members > MEMBERS) {
            throw new IllegalArgumentException("answers must be as many as lost members, 1 or more, and at most "
                    + MEMBERS
                    + " members in all, got " + available.length + " answers, " + equations + " lost and " + members
                    + " available members");
        }
        for (int i = 0; i < equations; i++) {
            if (lost[i].length != equations || available[i].length != members) {
                throw new IllegalArgumentException("each answer must have a weight for each member, answer"
                        + " " + i + " has "
                        + lost[i].length + " for " + equations + " lost and " + available[i].length + " for " + members
                        + " available ones");
            }
        }
        this.available = copy(available);
        inverse = inverse(copy(lost));
    }

    private static double[][] copy(double[][] rows) {
        double[][] copy = new double[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            copy[i] = rows[i].clone();
        }
        return copy;
    }

    /** Inverts by elimination with partial pivoting; destroys the matrix. */
    private static double[][] inverse(double[][] matrix) {
        int n = matrix.length;
        double[][] result = new double[n][n];
        for (int i = 0; i < n; i++) {
            result[i][i] = 1;
        }
        for (int column = 0; column < n; column++) {
            int pivot = column;
            for (int row = column + 1; row < n; row++) {
                pivot = Math.abs(matrix[row][column]) > Math.abs(matrix[pivot][column]) ? row : pivot;
            }
            if (!(Math.abs(matrix[pivot][column]) > 0)) {
                throw new IllegalArgumentException(
                        "the answers cannot tell the lost members apart: their weights" + " are linearly dependent");
            }
            swap(matrix, column, pivot);
            swap(result, column, pivot);
            double factor = 1 / matrix[column][column];
            for (int i = 0; i < n; i++) {
                matrix[column][i] *= factor;
                result[column][i] *= factor;
            }
            for (int row = 0; row < n; row++) {
                double times = row == column ? 0 : matrix[row][column];
                for (int i = 0; i < n; i++) {
                    matrix[row][i] -= times * matrix[column][i];
                    result[row][i] -= times * result[column][i];
                }
            }
        }
        return result;
    }

    private static void swap(double[][] rows, int a, int b) {
        double[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    /**
     * Enqueues the reconstruction on a stream, and returns at once; the thread is bound.
     *
     * @param predictions addresses of the available members' predictions, in float32, a row for each group
     * @param answers addresses of the answers
     * @param lost addresses of the reconstructions; must not overlap what is read
     * @param spoiled address of a 32-bit word for each row; bit i is set if the row's reconstruction i has a value that is not
     *     finite, and so is invalid
     * @param rows how many groups
     * @param size values in a row
     */
    public void decode(
            long[] predictions, long[] answers, long[] lost, long spoiled, int rows, int size, CudaStream stream) {
        int equations = inverse.length;
        int members = available[0].length;
        if (predictions.length != members || answers.length != equations || lost.length != equations) {
            throw new IllegalArgumentException("expected " + members + " predictions, " + equations
                    + " answers and as many lost members, got " + predictions.length + ", " + answers.length + " and "
                    + lost.length);
        }
        CodingKernels.checkCount(Math.min(rows, size));
        long count = (long) rows * size;
        long[] group = new long[3 * MEMBERS + 2 + EQUATIONS + MEMBERS * MEMBERS];
        System.arraycopy(predictions, 0, group, 0, members);
        System.arraycopy(answers, 0, group, MEMBERS, equations);
        System.arraycopy(lost, 0, group, 2 * MEMBERS, equations);
        group[3 * MEMBERS] = spoiled;
        group[3 * MEMBERS + 1] = count;
        put(available, group, 3 * MEMBERS + 2);
        put(inverse, group, 3 * MEMBERS + 2 + EQUATIONS);
        stream.fill(spoiled, (byte) 0, (long) rows * Integer.BYTES);
        CodingKernels.launch(
                "decode_predictions", CodingKernels.shape(count, equations), stream, group, members, equations, size);
    }

    private static void put(double[][] rows, long[] into, int at) {
        int next = at;
        for (double[] row : rows) {
            for (double value : row) {
                into[next++] = Double.doubleToRawLongBits(value);
            }
        }
    }
}
