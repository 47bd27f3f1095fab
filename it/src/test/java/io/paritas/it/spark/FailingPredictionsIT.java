/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.OnError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Predictions that must fail: they say why, and the application goes on. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class FailingPredictionsIT {
    private static final int ROWS = 100;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;
    private KnownAnswers known;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        known = KnownAnswers.exact(folder, 2, 1);
    }

    @AfterEach
    void theNextPredictionWorks() throws Exception {
        KnownAnswers next = KnownAnswers.exact(folder, 2, 2);
        next.check(next.of(rows()).collectAsList(), ROWS);
        Leftovers.awaitNone(session);
    }

    private Dataset<Row> rows() {
        return KnownAnswers.rows(session, ROWS, 4);
    }

    @Test
    void rowsThatAreNoInputFailTheJobUnlessTheyAreToBeKept() {
        Dataset<Row> some =
                rows().withColumn("x", when(col("id").notEqual(7), col("x")).otherwise(expr("array(float(1))")));

        assertThatThrownBy(() -> known.of(some).collectAsList())
                .hasStackTraceContaining("a row cannot be predicted: ")
                .hasStackTraceContaining("onError=column keeps such rows, without a prediction");
        assertThat(some.select(known.predict()
                                .option(EngineSettings.ON_ERROR, OnError.NULL)
                                .toColumn()
                                .as("answer"))
                        .filter("answer.outcome = 'unavailable'")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aModelThatGetsTooLittleMemoryIsNamedAndItsExecutorsLive() {
        KnownAnswers greedy = KnownAnswers.greedy(folder, 2, 1);
        List<ExecutorProcess> before = SPARK.executors();

        assertThatThrownBy(() -> greedy.of(rows()).collectAsList())
                .hasStackTraceContaining("the model " + greedy.path() + " failed: onnxruntime cannot predict ")
                .hasStackTraceContaining("predict fewer at once (on Spark, with the option batchRows)");
        assertThat(SPARK.executors()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void aDamagedModelIsRefusedBeforeTheJob() throws Exception {
        Files.writeString(known.path(), "no model");

        assertThatThrownBy(() -> known.of(rows()))
                .hasMessageContaining("a model must be ONNX (protobuf) or TorchScript (zip), ");
    }

    @Test
    void aModelThatWasReplacedIsRefused() {
        KnownAnswers.other(known.path());

        assertThatThrownBy(() -> known.of(rows()))
                .hasMessageContaining("a parity bundle works only with the model that it was made for");
    }

    @Test
    void aTaskThatFailsTooOftenFailsTheJob() {
        assertThatThrownBy(() -> known.of(rows())
                        .selectExpr("if(id = 50, raise_error('a fault of the test'), outcome)")
                        .collectAsList())
                .hasStackTraceContaining("a fault of the test");
    }
}
