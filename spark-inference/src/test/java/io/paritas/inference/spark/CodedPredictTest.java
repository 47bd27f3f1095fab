/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodedPredictTest {
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        MODEL.write(folder);
        MODEL.wrongParity(2, 1, Map.of("degraded.1-lost", 0.9)).write(folder);
        spark = SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", "false")
                .config("spark.plugins", CodedInferencePlugin.class.getName())
                .config("spark.sql.shuffle.partitions", "4")
                .getOrCreate();
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static Dataset<Row> rows(int count) {
        return spark.range(0, count, 1, 4).selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
    }

    private static Dataset<Row> coded(Dataset<Row> rows) {
        return rows.select(
                        col("id"),
                        Predict.coded(folder.resolve("model.onnx").toString(), col("x"))
                                .option(SparkSetting.BATCH_ROWS, 8)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*");
    }

    private static void check(List<Row> rows, int count) {
        Map<Long, Row> byId = new TreeMap<>();
        rows.forEach(row -> byId.put(row.getLong(0), row));
        assertThat(rows).hasSize(count);
        assertThat(byId).hasSize(count);
        byId.forEach((id, row) -> {
            float[] expected = MODEL.predict(new float[] {id % 5, id % 3, id % 7});
            float offset = row.getString(2).equals("reconstructed") ? ExactModel.OFFSET : 0;
            assertThat(row.<Float>getList(1))
                    .as("row %s %s", id, row)
                    .containsExactly(expected[0] + offset, expected[1] + offset);
        });
    }

    @Test
    void predictsEveryRowOnce() {
        Dataset<Row> answers = coded(rows(1000));
        answers.explain("formatted");
        List<Row> rows = answers.collectAsList();
        check(rows, 1000);
        assertThat(rows).allMatch(row -> row.getString(2).equals("predicted"));
    }

    @Test
    void reconstructsTheRowsOfALateTask() {
        long start = System.nanoTime();
        Dataset<Row> late = coded(rows(1000))
                .mapPartitions(
                        (MapPartitionsFunction<Row, Row>) rows -> {
                            if (TaskContext.getPartitionId() == 1
                                    && TaskContext.get().attemptNumber() == 0) {
                                Thread.sleep(60_000);
                            }
                            return rows;
                        },
                        Encoders.row(coded(rows(1)).schema()));
        check(late.collectAsList(), 1000);
        assertThat(late.collectAsList().stream()
                        .filter(row -> row.getString(2).equals("reconstructed"))
                        .count())
                .isPositive();
        System.out.println("TOOK " + (System.nanoTime() - start) / 1e9);
    }
}
