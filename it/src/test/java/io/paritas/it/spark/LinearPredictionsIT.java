/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.LinearCode;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A linear model with fractions for weights, and parity models that were not trained: what is lost comes back, to rounding. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class LinearPredictionsIT {
    private static final int ROWS = 240;
    private static final int FEATURES = 4;
    private static final int OUTPUTS = 3;
    private static final double LARGEST = 1;
    private static final Combinations CODE = new Combinations(2, 2);
    private static final double[][] MATRIX = new double[OUTPUTS][FEATURES];
    private static final double[] BIAS = {0.1, -20, 300};

    static {
        Random random = new Random(1);
        for (double[] row : MATRIX) {
            for (int i = 0; i < FEATURES; i++) {
                row[i] = random.nextGaussian();
            }
        }
    }

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private final LinearCode linear = new LinearCode(MATRIX, BIAS);
    private SparkSession session;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        linear.parity(CODE).bundle().write(folder);
        linear.deployed().file().write(folder.resolve("model.onnx"));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        Leftovers.awaitNone(session);
    }

    @Test
    void twoLateTasksAreReconstructedWithinTheBound() {
        check(Faults.untilReconstructed(Map.of(0, Fault.SLEEP, 2, Fault.SLEEP), 1), true);
    }

    @Test
    void theRowsOfAKilledExecutorAreAnswered() {
        check(Faults.at(1, Fault.KILL), false);
    }

    /** Predictions equal the uncoded ones bit for bit, reconstructions are within the bound of what is exact. */
    private void check(Faults faults, boolean reconstructs) {
        Map<Long, Row> uncoded = byId(answers(Predict.plain(model(), col("x"))).collectAsList());
        Dataset<Row> coded = answers(Predict.coded(model(), col("x")).option(EngineSettings.BATCH_ROWS, 4));
        Map<Long, Row> found =
                byId(coded.mapPartitions(faults, Encoders.row(coded.schema())).collectAsList());
        double[] bound = linear.errorBound(CODE, LARGEST, CODE.r());
        int reconstructed = 0;
        assertThat(found.keySet()).isEqualTo(uncoded.keySet()).hasSize(ROWS);
        for (Row row : found.values()) {
            List<Float> values = row.getList(2);
            if (row.getString(3).equals("predicted")) {
                assertThat(values).isEqualTo(uncoded.get(row.getLong(0)).getList(2));
            } else {
                assertThat(row.getString(3)).isEqualTo("reconstructed");
                reconstructed++;
                for (int i = 0; i < OUTPUTS; i++) {
                    double exact = exact(row.getList(1), i);
                    assertThat(Math.abs(values.get(i) - exact)).as("%s", row).isLessThanOrEqualTo(bound[i]);
                }
            }
        }
        if (reconstructs) {
            assertThat(reconstructed).isPositive();
        }
    }

    private static double exact(List<Double> x, int output) {
        return BIAS[output]
                + IntStream.range(0, FEATURES)
                        .mapToDouble(i -> MATRIX[output][i] * x.get(i))
                        .sum();
    }

    private static Map<Long, Row> byId(List<Row> rows) {
        return rows.stream().collect(Collectors.toMap(row -> row.getLong(0), row -> row));
    }

    private Dataset<Row> answers(Predict predict) {
        return session.range(0, ROWS, 1, 4)
                .selectExpr("id", "array(sin(id), cos(id), sin(2 * id), cos(3 * id)) AS x")
                .select(col("id"), col("x"), predict.toColumn().as("answer"))
                .select("id", "x", "answer.*");
    }

    private String model() {
        return folder.resolve("model.onnx").toString();
    }
}
