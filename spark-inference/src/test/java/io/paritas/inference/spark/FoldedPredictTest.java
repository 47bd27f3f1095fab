/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.predictions;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.spark.settings.EngineSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoldedPredictTest {
    private static final int FOLD = 4;
    private static final int FEATURES = 3;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    static Path folder;

    @BeforeAll
    static void write() {
        GraphBuilder builder = new GraphBuilder(FEATURES);
        Graph graph = Initialisation.HE.apply(
                builder.output(builder.linear(builder.relu(builder.linear(builder.input(), 8)), 2)), 1);
        Graph folded = Initialisation.HE.apply(Folding.fold(graph, FoldOptions.of(FOLD)), 2);
        Bundle.of(
                        BundleKind.FOLDED,
                        new DeployedModel(graph.toModelFile(), graph.input(), graph.output()),
                        Map.of("folded", folded.toModelFile()))
                .withSettings(Map.of("fold", String.valueOf(FOLD), "multiplier", "1.0", "rounding", "down"))
                .write(folder);
    }

    /** What the folded model says of rows from 0 in batches of this many. */
    private static List<List<Float>> expected(int count, int batch) {
        try (FoldedModel model = FoldedNetwork.read(folder).load(ModelOptions.DEFAULT)) {
            return IntStream.iterate(0, from -> from < count, from -> from + batch)
                    .mapToObj(from -> IntStream.range(from, Math.min(from + batch, count)))
                    .flatMap(rows -> {
                        float[] values = model.predict(inputs(rows.toArray()));
                        return IntStream.range(0, values.length / 2)
                                .mapToObj(row -> List.of(values[2 * row], values[2 * row + 1]));
                    })
                    .toList();
        }
    }

    private static float[] inputs(int[] rows) {
        float[] values = new float[rows.length * FEATURES];
        for (int i = 0; i < rows.length; i++) {
            values[i * FEATURES] = rows[i] % 5;
            values[i * FEATURES + 1] = rows[i] % 3;
            values[i * FEATURES + 2] = rows[i] % 7;
        }
        return values;
    }

    /** Batches are made of whole stacks: of 10 rows wanted, 12 are taken. */
    @ParameterizedTest
    @CsvSource({"8, 8", "10, 12", "1, 4", "64, 64", "2147483647, 64"})
    void saysWhatTheFoldedModelSays(int batchRows, int batch) {
        Dataset<Row> query = LOCAL.rows(30)
                .coalesce(1)
                .select(
                        col("id"),
                        Predict.folded(folder.toString(), col("x"))
                                .option(EngineSettings.BATCH_ROWS, batchRows)
                                .toColumn()
                                .as("answer"))
                .orderBy("id")
                .select("answer.prediction", "answer.outcome");
        List<Row> rows = query.collectAsList();
        assertThat(rows).extracting(row -> row.<Float>getList(0)).isEqualTo(expected(30, batch));
        assertThat(rows).allMatch(row -> row.getString(1).equals("predicted"));
        assertThat(predictions(query).get(0).nodeName()).isEqualTo("Predict");
    }

    /** Files of different lengths, several of them in a partition. */
    @Test
    void filesAndPlacesOfRowsAreThoseWithoutAPrediction(@TempDir Path files) {
        String path = files.resolve("rows").toString();
        LOCAL.rows(90).repartitionByRange(5, col("id")).write().parquet(path);
        LOCAL.rows(100).filter("id > 95").write().mode("append").parquet(path);
        LOCAL.spark().conf().set("spark.sql.files.openCostInBytes", "2k");
        LOCAL.spark().conf().set("spark.sql.files.maxPartitionBytes", "10k");
        LOCAL.spark().read().parquet(path).createOrReplaceTempView("files");
        String places = "SELECT id, input_file_name(), input_file_block_length(), spark_partition_id(),"
                + " monotonically_increasing_id(), rand(7)";
        List<Row> expected = LOCAL.sql(places + " FROM files ORDER BY id").collectAsList();
        assertThat(expected).extracting(row -> row.getString(1)).doesNotContain("");
        assertThat(LOCAL.sql(places + ", folded_predict('" + folder
                                + "', x, map('batchRows', '8')) AS answer FROM files" + " ORDER BY id")
                        .drop("answer")
                        .collectAsList())
                .isEqualTo(expected);
        assertThat(LOCAL.sql("SELECT id, input_file_name() FROM files WHERE folded_predict('" + folder
                                + "', x).prediction[0] IS NOT NULL ORDER BY id")
                        .collectAsList())
                .extracting(row -> row.getString(1))
                .isEqualTo(expected.stream().map(row -> row.getString(1)).toList());
        LOCAL.spark().conf().unset("spark.sql.files.openCostInBytes");
        LOCAL.spark().conf().unset("spark.sql.files.maxPartitionBytes");
    }

    @Test
    void takesADescriptorToo() {
        String descriptor = folder.resolve("folded.json").toString();
        assertThat(LOCAL.sql("SELECT folded_predict('" + descriptor + "', x).prediction FROM t WHERE id < 10")
                        .collectAsList())
                .hasSize(10);
    }
}
