/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import java.util.Arrays;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.feature.PCAModel;
import org.apache.spark.ml.linalg.Matrix;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.regression.LinearRegressionModel;

/**
 * What a fitted model of Spark ML does: margins = matrix · x + bias, then a last step.
 *
 * @param matrix a row for each margin
 * @param bias a value for each margin
 * @param step what follows
 */
record LinearForm(double[][] matrix, double[] bias, LastStep step) {

    /** @throws IllegalArgumentException if the model is not of one of the four kinds */
    static LinearForm of(Model<?> fitted) {
        if (fitted instanceof LinearRegressionModel regression) {
            return new LinearForm(
                    new double[][] {regression.coefficients().toArray()},
                    new double[] {regression.intercept()},
                    LastStep.VALUE);
        }
        if (fitted instanceof LogisticRegressionModel regression) {
            double[][] matrix = rows(regression.coefficientMatrix());
            return new LinearForm(
                    matrix,
                    regression.interceptVector().toArray(),
                    matrix.length == 1 ? LastStep.LOGISTIC : LastStep.SOFTMAX);
        }
        if (fitted instanceof KMeansModel clusters) {
            return clusters.getDistanceMeasure().equals("cosine")
                    ? cosine(clusters.clusterCenters())
                    : euclidean(clusters.clusterCenters());
        }
        if (fitted instanceof PCAModel components) {
            double[][] matrix = rows(components.pc().transpose());
            return new LinearForm(matrix, new double[matrix.length], LastStep.COMPONENTS);
        }
        throw new IllegalArgumentException("a model must be linear up to its last step: LinearRegressionModel,"
                + " LogisticRegressionModel, KMeansModel or PCAModel; got "
                + fitted.getClass().getSimpleName() + ": train parity models for it, with ParityModelTrainer");
    }

    private static double[][] rows(Matrix matrix) {
        double[][] rows = new double[matrix.numRows()][matrix.numCols()];
        for (int row = 0; row < rows.length; row++) {
            for (int column = 0; column < rows[row].length; column++) {
                rows[row][column] = matrix.apply(row, column);
            }
        }
        return rows;
    }

    /**
     * Of all centres c, the nearest to x has the largest 2·x·(c − m) + |m|² − |c|²: that is |x − m|² − |x − c|². The mean m of the
     * centres keeps weights small, and with them rounding.
     */
    private static LinearForm euclidean(Vector[] vectors) {
        double[][] centres = Arrays.stream(vectors).map(Vector::toArray).toArray(double[][]::new);
        double[] mean = new double[centres[0].length];
        for (double[] centre : centres) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += centre[i] / centres.length;
            }
        }
        double[][] matrix = new double[centres.length][mean.length];
        double[] bias = new double[centres.length];
        for (int row = 0; row < centres.length; row++) {
            for (int i = 0; i < mean.length; i++) {
                double apart = centres[row][i] - mean[i];
                matrix[row][i] = 2 * apart;
                bias[row] -= apart * (centres[row][i] + mean[i]);
            }
        }
        return new LinearForm(matrix, bias, LastStep.LARGEST);
    }

    /** The centre at the smallest angle has the largest product with x, scaled to length 1. */
    private static LinearForm cosine(Vector[] centres) {
        double[][] matrix = Arrays.stream(centres).map(LinearForm::unit).toArray(double[][]::new);
        return new LinearForm(matrix, new double[matrix.length], LastStep.LARGEST);
    }

    private static double[] unit(Vector vector) {
        double[] values = vector.toArray();
        double length =
                Math.sqrt(Arrays.stream(values).map(value -> value * value).sum());
        return Arrays.stream(values).map(value -> value / length).toArray();
    }
}
