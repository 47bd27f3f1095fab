/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.InputSettings;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The results of a classifier of image files: {@code path}, {@code label} and {@code outcome}. */
final class Labels {
    private static final String LARGEST = "array_position(answer.prediction, array_max(answer.prediction)) - 1";

    private Labels() {}

    /**
     * Classifies images.
     *
     * @param images with the columns of Spark's source {@code binaryFile}
     */
    static Dataset<Row> of(Dataset<Row> images, Predict predict) {
        return images.select(
                        col("path"),
                        predict.option(InputSettings.TYPE, BinaryContent.IMAGE)
                                .toColumn()
                                .as("answer"))
                .select(col("path"), expr(LARGEST).as("label"), col("answer.outcome"));
    }

    /** Returns a summary, for example {@code coded: 512 rows in 4.1 s: 490 predicted, 22 reconstructed, 0 unavailable}. */
    static String tell(String what, Dataset<Row> labels, double seconds) {
        Row row = labels.selectExpr(
                        "count(*)",
                        "count_if(outcome = 'predicted')",
                        "count_if(outcome = 'reconstructed')",
                        "count_if(outcome = 'unavailable')")
                .first();
        return String.format(
                Locale.ROOT,
                "%s: %d rows in %.1f s: %d predicted, %d reconstructed, %d unavailable",
                what,
                row.getLong(0),
                seconds,
                row.getLong(1),
                row.getLong(2),
                row.getLong(3));
    }
}
