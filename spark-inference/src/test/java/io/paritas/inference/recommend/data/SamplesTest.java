/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.recommend.LocalSpark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.Test;

class SamplesTest {
    private static Dataset<Row> columns(String label, String dense, String categorical) {
        return LocalSpark.session()
                .range(0, 10, 1, 2)
                .selectExpr("'x' AS other", categorical + " AS categorical", dense + " AS dense", label + " AS label");
    }

    @Test
    void columnsOfManyTypesBecomeBatches() {
        for (String whole : List.of("TINYINT", "SMALLINT", "INT", "BIGINT")) {
            Dataset<Row> rows = columns(
                    "id % 2", "array(id / 4, 1.5)", "transform(sequence(0, id), i -> CAST(i AS " + whole + "))");
            assertThat(batches(rows))
                    .containsExactly(
                            "[0.0, 1.0, 0.0, 1.0] [0.0, 1.5, 0.25, 1.5, 0.5, 1.5, 0.75, 1.5] [0, 1, 2, 3]",
                            "[0.0] [1.0, 1.5] [0, 1, 2, 3, 4]",
                            "[1.0, 0.0, 1.0, 0.0] [1.25, 1.5, 1.5, 1.5, 1.75, 1.5, 2.0, 1.5] [0, 1, 2, 3, 4, 5, 6, 7, 8]",
                            "[1.0] [2.25, 1.5] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
        }
    }

    private static List<String> batches(Dataset<Row> rows) {
        FlatMapFunction<Iterator<InternalRow>, String> texts = partition -> {
            List<String> batches = new ArrayList<>();
            new MiniBatches(partition, 4, 2, Tables.of(10))
                    .forEachRemaining(batch -> batches.add(Arrays.toString(batch.labels()) + " "
                            + Arrays.toString(batch.dense()) + " " + Arrays.toString(batch.ids())));
            return batches.iterator();
        };
        return Samples.internalRows(rows).toJavaRDD().mapPartitions(texts).collect();
    }

    @Test
    void otherColumnsAreRefused() {
        refuses("label is STRING", columns("'1'", "array(1)", "array(1)"));
        refuses("dense is INT", columns("1", "1", "array(1)"));
        refuses("dense is ARRAY<STRING>", columns("1", "array('x')", "array(1)"));
        refuses("categorical is ARRAY<DOUBLE>", columns("1", "array(1)", "array(1D)"));
        refuses("categorical is missing", columns("1", "array(1)", "array(1)").drop("categorical"));
    }

    private static void refuses(String problem, Dataset<Row> rows) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.of(rows))
                .withMessage(
                        "samples must have the columns label (a number), dense (an array of numbers) and categorical (an"
                                + " array of whole numbers), " + problem + ": select it under that name, or cast it");
    }
}
