/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * Reconstructs lost predictions from the others and the parity models' answers, for batches that are on the GPU (thesis,
 * 8.2.1): e of them from e answers. It calculates in float64; for one lost prediction the bits are the CPU's. Immutable and
 * thread-safe.
 */
public final class ParityDecoder {
    private static final int MEMBERS = CodingKernels.MEMBERS;
    private static final int EQUATIONS = 64;

    private final double[][] available;
    private final double[][] inverse;

    /**
     * A decoder for some losses.
     *
     * @param available for each answer that is used, what each available member counts in it
     * @param lost for each of these answers, what each lost member counts in it: square and regular
     */
    public ParityDecoder(double[][] available, double[][] lost) {
        int equations = lost.length;
        int members = available.length == 0 ? 0 : available[0].length;
        if (equations < 1 || equations != available.length || equations + members > MEMBERS) {
            throw new IllegalArgumentException("There are as many answers as lost members, 1 or more, and up to "
                    + MEMBERS
                    + " members in all; got " + available.length + " answers, " + equations + " lost and " + members
                    + " available members");
        }
        for (int i = 0; i < equations; i++) {
            if (lost[i].length != equations || available[i].length != members) {
                throw new IllegalArgumentException("Each answer has a weight for each member; answer " + i + " has "
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

    /** By elimination with the largest pivot; destroys the matrix. */
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
                throw new IllegalArgumentException("The lost members cannot be told apart by these answers: their"
                        + " weights depend on each other");
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
     * Puts the reconstruction into a stream, and returns at once; the thread is bound.
     *
     * @param predictions where those of the available members are, a row for each group: addresses of float32
     * @param answers where the used answers are
     * @param lost where the reconstructions go; must not overlap what is read
     * @param spoiled where a 32-bit word for each row goes, whose bit i says that the row's reconstruction i has a value that
     *     is not finite, so that there is none
     * @param rows how many groups
     * @param size values of a row
     */
    public void decode(
            long[] predictions, long[] answers, long[] lost, long spoiled, int rows, int size, CudaStream stream) {
        int equations = inverse.length;
        int members = available[0].length;
        if (predictions.length != members || answers.length != equations || lost.length != equations) {
            throw new IllegalArgumentException("There are " + members + " available members, " + equations
                    + " answers and as many lost members; got " + predictions.length + ", " + answers.length + " and "
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
