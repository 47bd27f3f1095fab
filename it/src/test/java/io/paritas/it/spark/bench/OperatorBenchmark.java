/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.spark.ParitasPlugin;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the operator costs beside the model: rows a second of one task, against a bare loop of the same engine over the same
 * rows in memory; and the time that the coordinator takes of each segment, with very many of them. No test: it prints.
 *
 * <pre>{@code
 * ./mvnw -pl it -am verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=OperatorBenchmark \
 *     -Dit.clusters.skip -Dit.others.skip -Dnext.java.skip
 * }</pre>
 */
class OperatorBenchmark {
    private static final int ROUNDS = 5;
    private static final int BATCH = 256;

    @TempDir
    Path folder;

    private static SparkSession session(int slots) {
        return SparkSession.builder()
                .master("local[" + slots + "]")
                .config("spark.ui.enabled", "false")
                .config("spark.plugins", ParitasPlugin.class.getName())
                .getOrCreate();
    }

    @Test
    void rowsPerSecondOfOneTask() throws Exception {
        try (SparkSession session = session(1)) {
            measure(session, NetworkName.LENET, 200_000);
            measure(session, NetworkName.RESNET18_NARROW, 20_000);
        }
    }

    private void measure(SparkSession session, NetworkName network, int rows) throws Exception {
        Path models = folder.resolve(network.name());
        Graph graph =
                Initialisation.XAVIER.apply(Networks.named(network.toString(), network.shape(), network.classes()), 1);
        ModelFile file = graph.toModelFile();
        Map<String, String> settings =
                Map.of("k", "2", "r", "1", "encoder", "addition", "decoder", "subtraction", "target", "outputs");
        DeployedModel deployed = new DeployedModel(file, graph.input(), graph.output());
        Bundle.of("parity", settings, deployed, Map.of("parity-0", file), Map.of(), Map.of())
                .write(models);
        Path model = models.resolve("model.onnx");
        file.write(model);
        int size = graph.input().size();
        byte[] pixels = new byte[size];
        new Random(1).nextBytes(pixels);
        session.range(0, rows, 1, 2)
                .select(col("id"), lit(pixels).as("x"))
                .write()
                .parquet(models.resolve("rows").toString());
        Dataset<Row> input = session.read().parquet(models.resolve("rows").toString());
        double[] bare = new double[ROUNDS];
        double[] plain = new double[ROUNDS];
        double[] coded = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            bare[round] = bare(file, rows);
            plain[round] = seconds(input, Predict.plain(model.toString(), col("x")));
            coded[round] = seconds(input, Predict.coded(model.toString(), col("x")));
        }
        System.out.printf(
                "%s, %d rows: bare loop %.0f rows/s, predict %.0f (%.0f %%), coded_predict %.0f (%.0f %%)%n",
                network,
                rows,
                rows / Median.of(bare),
                rows / Median.of(plain),
                100 * Median.of(bare) / Median.of(plain),
                rows / Median.of(coded),
                100 * Median.of(bare) / Median.of(coded));
    }

    private static double bare(ModelFile file, int rows) {
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            FloatBuffer inputs = Model.direct(BATCH * model.input().size());
            FloatBuffer outputs = Model.direct(BATCH * model.output().size());
            long start = System.nanoTime();
            for (int row = 0; row < rows; row += BATCH) {
                model.predict(Math.min(BATCH, rows - row), inputs.clear(), outputs.clear());
            }
            return (System.nanoTime() - start) / 1e9;
        }
    }

    private static double seconds(Dataset<Row> input, Predict call) {
        long start = System.nanoTime();
        input.select(
                        col("id"),
                        call.option(InputSettings.TYPE, BinaryContent.UINT8)
                                .option(EngineSettings.BATCH_ROWS, BATCH)
                                .toColumn()
                                .as("answer"))
                .write()
                .format("noop")
                .mode("overwrite")
                .save();
        return (System.nanoTime() - start) / 1e9;
    }

    @Test
    void timeOfTheCoordinatorForEachSegment() throws Exception {
        ExactModel model = ExactModel.of(3, 2, 1);
        Path path = model.write(folder);
        model.parity(2, 1, Map.of()).write(folder);
        int segments = 1998;
        try (SparkSession session = session(4)) {
            double[] plain = new double[ROUNDS];
            double[] coded = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                plain[round] = tiny(session, segments, Predict.plain(path.toString(), col("x")));
                coded[round] = tiny(
                        session, 8, Predict.coded(path.toString(), col("x")).option(CodedSettings.SEGMENTS, segments));
            }
            System.out.printf(
                    "%d segments of 10 rows in 4 slots: plain %.3f ms a segment, coded %.3f ms a segment (with its"
                            + " exchange)%n",
                    segments, 1000 * Median.of(plain) / segments, 1000 * Median.of(coded) / segments);
        }
    }

    private static double tiny(SparkSession session, int partitions, Predict call) {
        Dataset<Row> rows = session.range(0, 19_980, 1, partitions)
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
        long start = System.nanoTime();
        rows.select(
                        col("id"),
                        call.option(EngineSettings.BATCH_ROWS, 5).toColumn().as("answer"))
                .write()
                .format("noop")
                .mode("overwrite")
                .save();
        return (System.nanoTime() - start) / 1e9;
    }
}
