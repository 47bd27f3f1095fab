/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.EngineSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Predictions do not depend on Spark's serialiser. */
class KryoPredictTest {
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @RegisterExtension
    static final KryoSession KRYO = new KryoSession();

    @TempDir
    private static Path folder;

    private static String model;

    @BeforeAll
    static void write() {
        model = MODEL.write(folder).toString();
        MODEL.parity(2, 1, Map.of()).write(folder);
    }

    private static void check(Predict predict) {
        List<Row> rows = KRYO.spark()
                .range(0, 100, 1, 4)
                .selectExpr("array(float(id % 5), float(id % 3), float(id % 7)) AS x", "id")
                .select(
                        col("id"),
                        predict.option(EngineSettings.BATCH_ROWS, 8).toColumn().as("answer"))
                .select("id", "answer.prediction")
                .collectAsList();
        assertThat(rows).hasSize(100).allSatisfy(row -> {
            long id = row.getLong(0);
            float[] expected = MODEL.predict(new float[] {id % 5, id % 3, id % 7});
            assertThat(row.<Float>getList(1)).containsExactly(expected[0], expected[1]);
        });
    }

    @Test
    void ofAModel() {
        check(Predict.plain(model, col("x")));
    }

    @Test
    void ofACodedOne() {
        check(Predict.coded(model, col("x")).option("exchange", "always"));
        check(Predict.coded(model, col("x")).option("exchange", "never"));
    }

    @Test
    void ofACascade() {
        check(Predict.cascade(model, model, col("x")).option(EngineSettings.CASCADE_THRESHOLD, 0.5));
    }

    @Test
    void ofAModelThatChecksItself() {
        check(Predict.plain(model, col("x")).option("protect", "global"));
    }
}
