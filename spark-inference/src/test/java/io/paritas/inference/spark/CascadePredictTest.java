/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.expected;
import static io.paritas.inference.spark.LocalSession.metric;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.Cascade.Calibration;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.spark.settings.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The small model answers what it is sure of, and {@link ExactModel} the rest, in full batches. */
class CascadePredictTest {
    private static final double THRESHOLD = 0.9;
    private static final int BATCH = 8;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    static Path folder;

    private static ModelFile small;
    private static List<List<Float>> smallAnswers;

    @BeforeAll
    static void write() {
        GraphBuilder builder = new GraphBuilder(3);
        Graph graph = Initialisation.HE.apply(builder.output(builder.linear(builder.input(), 2)), 1);
        small = graph.toModelFile();
        small.write(folder.resolve("small.onnx"));
        Graph folded = Initialisation.HE.apply(Folding.fold(graph, FoldOptions.of(2)), 2);
        Bundle.of(
                        BundleKind.FOLDED,
                        new DeployedModel(small, graph.input(), graph.output()),
                        Map.of("folded", folded.toModelFile()))
                .withSettings(Map.of("fold", "2", "multiplier", "1.0", "rounding", "down"))
                .write(folder.resolve("folded"));
        ModelFile large = ModelFile.read(Path.of(LOCAL.model()));
        Cascade.of(
                        small,
                        1,
                        new DeployedModel(large, graph.input(), graph.output()),
                        new Calibration(THRESHOLD, 0.75, 0.5, 0.25, 1),
                        "a test")
                .bundle()
                .write(folder.resolve("cascade"));
        try (Model model = ModelEngines.load(small, ModelOptions.DEFAULT)) {
            smallAnswers = LongStream.range(0, ROWS)
                    .mapToObj(id -> model.predict(new float[] {id % 5, id % 3, id % 7}))
                    .map(values -> List.of(values[0], values[1]))
                    .toList();
        }
    }

    private static boolean sure(long id) {
        List<Float> logits = smallAnswers.get((int) id);
        return Cascade.confidence(new float[] {logits.get(0), logits.get(1)}) >= THRESHOLD;
    }

    private static Dataset<Row> answers(Predict predict, int partitions) {
        return LOCAL.rows(ROWS)
                .repartition(partitions)
                .select(
                        col("id"),
                        predict.option(EngineSettings.BATCH_ROWS, BATCH)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*");
    }

    private static Predict cascade(String before) {
        return Predict.cascade(folder.resolve(before).toString(), LOCAL.model(), col("x"));
    }

    private static void check(Dataset<Row> query, int partitions) {
        List<Row> rows = query.collectAsList();
        long certain =
                LongStream.range(0, ROWS).filter(CascadePredictTest::sure).count();
        assertThat(certain).isBetween(20L, 80L);
        assertThat(rows).hasSize(ROWS).extracting(row -> row.getLong(0)).doesNotHaveDuplicates();
        for (Row row : rows) {
            long id = row.getLong(0);
            assertThat(row.<Float>getList(1))
                    .as("row %s", id)
                    .isEqualTo(sure(id) ? smallAnswers.get((int) id) : expected(id));
            assertThat(row.getString(2)).isEqualTo("predicted");
        }
        assertThat(metric(query, "numOutputRows")).isEqualTo(ROWS);
        assertThat(metric(query, "smallRows")).isEqualTo(certain);
        assertThat(metric(query, "largeRows")).isEqualTo(ROWS - certain);
        // Of each partition, only the last batch may not be full.
        assertThat(metric(query, "largeBatches")).isLessThanOrEqualTo((ROWS - certain) / BATCH + partitions);
    }

    /** Without onError: it is not the answer that fails. */
    @Test
    void whatTheSmallModelFailsOnGoesToTheLargeOne() {
        TestGraphs.greedy(Graph.of(small), 4.5f).write(folder.resolve("greedy.onnx"));
        Dataset<Row> query = answers(cascade("greedy.onnx").option("threshold", THRESHOLD), 1);
        List<Row> rows = query.collectAsList();
        assertThat(rows).hasSize(ROWS).allSatisfy(row -> {
            assertThat(row.<Float>getList(1)).isEqualTo(expected(row.getLong(0)));
            assertThat(row.getString(2)).isEqualTo("predicted");
        });
        assertThat(metric(query, "largeRows")).isEqualTo(ROWS);
    }

    @Test
    void theCalibratedThresholdDecidesWhoAnswers() {
        check(answers(cascade("cascade"), 1), 1);
        check(answers(cascade("cascade/cascade.json"), 3), 3);
    }

    /** As in a file that was written by hand. */
    @Test
    void theThresholdOfACascadeNeedsNoMeasuredAccuracies() throws IOException {
        Bundle written = Bundle.read(folder.resolve("cascade"), BundleKind.CASCADE);
        Path bare = written.withAccuracy(Map.of()).write(folder.resolve("bare"));
        Files.writeString(bare, Files.readString(bare).replaceFirst(",\\s*\"accuracy\" : \\{ *}", ""));
        assertThat(bare).content().doesNotContain("accuracy");

        Dataset<Row> query = answers(cascade("bare"), 1);
        check(query, 1);
        assertThat(query.queryExecution().executedPlan().toString()).contains(", threshold=0.9, not calibrated");
    }

    @Test
    void aThresholdCanBeGiven() {
        check(answers(cascade("small.onnx").option(EngineSettings.CASCADE_THRESHOLD, THRESHOLD), 1), 1);
        List<Row> large = answers(cascade("cascade").option(EngineSettings.CASCADE_THRESHOLD, 1.0), 2)
                .collectAsList();
        assertThat(large).hasSize(ROWS).allMatch(row -> row.getList(1).equals(expected(row.getLong(0))));
    }

    @Test
    void theSmallModelMayBeFolded() {
        Dataset<Row> query = answers(cascade("folded").option(EngineSettings.CASCADE_THRESHOLD, THRESHOLD), 1);
        assertThat(query.collectAsList())
                .hasSize(ROWS)
                .extracting(row -> row.getLong(0))
                .doesNotHaveDuplicates();
        assertThat(metric(query, "smallRows") + metric(query, "largeRows")).isEqualTo(ROWS);
        assertThat(metric(query, "smallRows")).isBetween(1L, ROWS - 1L);
    }

    @Test
    void rowsThatAreNoInputAreUnavailable() {
        Dataset<Row> query = LOCAL.rows(ROWS)
                .withColumn("x", expr("IF(id % 10 = 3, null, x)"))
                .select(cascade("cascade")
                        .option("onError", "column")
                        .toColumn()
                        .as("answer"))
                .groupBy("answer.outcome", "answer.error")
                .count();
        assertThat(query.collectAsList())
                .extracting(Row::toString)
                .containsExactlyInAnyOrder("[predicted,null,90]", "[unavailable,column 'x' must not be null,10]");
    }

    @Test
    void explainSaysTheThresholdAndWhatTheCalibrationFound() {
        String plan =
                answers(cascade("cascade"), 1).queryExecution().executedPlan().toString();
        assertThat(plan)
                .contains("CascadePredict " + LOCAL.model() + ", small=" + folder.resolve("cascade")
                        + ", threshold=0.9, calibrated: share=0.75, accuracy=0.5");
        assertThat(answers(cascade("small.onnx").option("threshold", 0.5), 1)
                        .queryExecution()
                        .executedPlan()
                        .toString())
                .contains(", threshold=0.5, not calibrated");
    }

    @Test
    void whatDoesNotFitIsRefused() {
        refused(
                "cascade_predict('$folder/small.onnx', $model, x)",
                "a cascade needs a threshold, and there is no" + " cascade.json at '" + folder.resolve("small.onnx")
                        + "': make one with bin/paritas eval --small, or give the option threshold, above 0");
        refused(
                "cascade_predict('$folder/small.onnx', $model, x, map('threshold', '0'))",
                "or give the option threshold, above 0");
        refused(
                "cascade_predict('http://127.0.0.1:1/cascade', $model, x)",
                "a cascade needs a threshold, and there is no cascade.json at 'http://127.0.0.1:1/cascade', of which no"
                        + " folder is fetched: make one with bin/paritas eval --small");
        refused(
                "cascade_predict('http://127.0.0.1:1/cascade/cascade.json', $model, x)",
                "parity models, learned codes, folded networks and cascades are several files, and by http:");
        refused("cascade_predict($model, x, x)", "the second argument of cascade_predict must be the path of a model");
        refused(
                "cascade_predict($model)",
                "cascade_predict takes the paths of a small and a large model, then its input: a column or several");
        refused(
                "cascade_predict('$folder/cascade', '$folder/small.onnx', x)",
                "a cascade bundle works only with the model that it was made for");
        ExactModel.of(3, 4, 1).file().write(folder.resolve("wide.onnx"));
        refused(
                "cascade_predict('$folder/wide.onnx', $model, x, map('threshold', '0.5'))",
                "both models of a cascade must have the same input and as many outputs; the small one goes from");
    }

    private static void refused(String call, String message) {
        assertThatThrownBy(() -> LOCAL.sql("SELECT " + call.replace("$folder", folder.toString()) + " FROM t"))
                .hasMessageContaining(message);
    }

    @Test
    void isATableFunctionToo() {
        Dataset<Row> query = LOCAL.sql("SELECT id, prediction, outcome FROM cascade_predict(TABLE(t), '"
                + folder.resolve("cascade") + "', $model, 'x', map('batchRows', '8'))");
        check(query, 3);
    }
}
