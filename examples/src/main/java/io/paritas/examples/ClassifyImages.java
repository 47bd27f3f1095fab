/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.InputSettings;
import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Classifies a folder of images with coded inference on Spark: predictions of tasks that are late or lost are reconstructed.
 *
 * <p>Arguments: the model, with {@code parity.json} or {@code learned.json} beside it, and a folder of images. The settings fit a model of values from 0 to 1.
 */
public final class ClassifyImages {
    private ClassifyImages() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("the arguments are MODEL IMAGES, such as models/base.onnx images/");
        }
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> images = spark.read()
                    .format("binaryFile")
                    .option("recursiveFileLookup", "true")
                    .load(arguments[1]);
            images.select(
                            col("path"),
                            Predict.coded(arguments[0], col("content"))
                                    .option(InputSettings.TYPE, BinaryContent.IMAGE)
                                    .option(InputSettings.SCALE, 1 / 255f)
                                    .toColumn()
                                    .as("answer"))
                    .select(
                            col("path"),
                            expr("array_position(answer.prediction, array_max(answer.prediction)) - 1 AS label"),
                            col("answer.outcome"))
                    .show(20, false);
        }
    }
}
