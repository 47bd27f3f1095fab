/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.folded.Cascade;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A small and a large model on executors, of which one dies or fails while rows wait for the large model. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class CascadePredictionsIT {
    private static final int ROWS = 240;
    private static final double THRESHOLD = 0.9;
    private static final ExactModel LARGE = ExactModel.of(3, 2, 1);
    private static final ExactModel SMALL = ExactModel.of(3, 2, 2);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"KILL", "THROW"})
    void eachRowIsAnsweredOnceByTheModelThatShould(Fault fault) throws Exception {
        SparkSession session = SPARK.session(StragglersIT.CODED);
        LARGE.file().write(folder.resolve("large.onnx"));
        SMALL.file().write(folder.resolve("small.onnx"));
        Predict predict = Predict.cascade(
                        folder.resolve("small.onnx").toString(),
                        folder.resolve("large.onnx").toString(),
                        col("x"))
                .option(EngineSettings.CASCADE_THRESHOLD, THRESHOLD)
                .option(EngineSettings.BATCH_ROWS, 8);
        Dataset<Row> answers = KnownAnswers.rows(session, ROWS, 4)
                .select(col("id"), predict.toColumn().as("answer"))
                .select("id", "answer.*");

        List<Row> rows = answers.mapPartitions(Faults.at(1, fault), Encoders.row(answers.schema()))
                .collectAsList();

        int sure = 0;
        for (Row row : rows) {
            long id = row.getLong(0);
            float[] x = {id % 5, id % 3, id % 7};
            boolean small = Cascade.confidence(SMALL.predict(x)) >= THRESHOLD;
            float[] expected = (small ? SMALL : LARGE).predict(x);
            assertThat(row.<Float>getList(1)).as("%s", row).containsExactly(expected[0], expected[1]);
            assertThat(row.getString(2)).isEqualTo("predicted");
            sure += small ? 1 : 0;
        }
        assertThat(rows).hasSize(ROWS).extracting(row -> row.getLong(0)).doesNotHaveDuplicates();
        assertThat(sure).isBetween(1, ROWS - 1);
    }
}
