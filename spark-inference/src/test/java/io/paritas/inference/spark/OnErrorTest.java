/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.metric;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.data.Samples;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.spark.job.QueryException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that cannot be predicted. */
class OnErrorTest {
    private static final int ROWS = 60;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    private Path folder;

    @BeforeEach
    void damageRows() {
        LOCAL.rows(ROWS)
                .selectExpr(
                        "id",
                        "CASE id % 10 WHEN 3 THEN NULL WHEN 5 THEN array(1f, 2f) WHEN 7 THEN array(1f, NULL, 2f) ELSE x"
                                + " END AS x")
                .createOrReplaceTempView("damaged");
    }

    private static Dataset<Row> query(String function, String onError) {
        return LOCAL.sql("SELECT id, answer.* FROM (SELECT id, " + function
                + "($model, x, map('batchRows', '4', 'onError', '" + onError + "')) AS answer FROM damaged)");
    }

    private static Map<Long, Row> byId(Dataset<Row> query) {
        Map<Long, Row> rows = new HashMap<>();
        query.collectAsList().forEach(row -> rows.put(row.getLong(0), row));
        assertThat(rows).hasSize(ROWS);
        return rows;
    }

    private static boolean damaged(long id) {
        return List.of(3L, 5L, 7L).contains(id % 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void nullKeepsThemWithoutAPrediction(String function) {
        Dataset<Row> query = query(function, "null");
        assertThat(query.columns()).containsExactly("id", "prediction", "outcome");
        byId(query).forEach((id, row) -> {
            assertThat(row.getString(2)).isEqualTo(damaged(id) ? "unavailable" : "predicted");
            assertThat(row.isNullAt(1) ? null : row.<Float>getList(1))
                    .isEqualTo(damaged(id) ? null : LocalSession.expected(id));
        });
        assertThat(metric(query, "unavailableRows")).isEqualTo(ROWS / 10 * 3);
        assertThat(metric(query, "numOutputRows")).isEqualTo(ROWS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void columnSaysWhy(String function) {
        byId(query(function, "column")).forEach((id, row) -> {
            assertThat(row.getString(3))
                    .isEqualTo(
                            switch ((int) (id % 10)) {
                                case 3 -> "column 'x' must not be null";
                                case 5 -> "column 'x' must have the 3 values of the input input (3), got 2";
                                case 7 -> "column 'x' must have a value everywhere, element 1 of an array is null";
                                default -> null;
                            });
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void failFailsTheQuery(String function) {
        assertThatThrownBy(() -> query(function, "fail").collectAsList())
                .hasStackTraceContaining("a row cannot be predicted: column 'x' must ")
                .hasStackTraceContaining(
                        "; the option onError=null or onError=column keeps such rows, without a prediction");
    }

    /** A handler wants an exception with a condition; Spark would fail with a NullPointerException of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void scriptsHandleThem(String function) {
        String script = "BEGIN %s SELECT " + function + "($model, x) FROM damaged; END";
        assertThat(LOCAL.sql(String.format(
                                script, "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'handled'; END;"))
                        .collectAsList())
                .containsExactly(RowFactory.create("handled"));
        assertThatThrownBy(() -> LOCAL.sql(String.format(script, "")))
                .isInstanceOf(QueryException.class)
                .hasMessageStartingWith("a row cannot be predicted: column 'x' must ");
    }

    /** The engines among the tests have no GPU. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "predict($model, x, map('device', 'cuda'))",
                "coded_predict($model, x, map('device', 'cuda'))",
                "cascade_predict($model, $model, x, map('device', 'cuda', 'threshold', '0.5'))"
            })
    void scriptsHandleModelsThatFail(String call) {
        String script = "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'handled'; END; SELECT " + call
                + " FROM t; END";
        assertThat(LOCAL.sql(script).collectAsList()).containsExactly(RowFactory.create("handled"));
        assertThatThrownBy(() -> LOCAL.sql("SELECT " + call + " FROM t").collectAsList())
                .isInstanceOf(QueryException.class)
                .hasMessageStartingWith("the model ")
                .hasMessageContaining(" failed: ");
    }

    /** Spark fixes the columns of a query when it is made, and plans it when it runs. */
    @ParameterizedTest
    @CsvSource({"column, null", "null, column"})
    void theColumnsAreThoseOfWhenTheQueryWasMade(String before, String after) {
        String setting = EngineSettings.ON_ERROR.key();
        LOCAL.spark().conf().set(setting, before);
        Dataset<Row> query =
                LOCAL.sql("SELECT id, answer.* FROM (SELECT id, predict($model, x) AS answer FROM damaged)");
        LOCAL.spark().conf().set(setting, after);

        byId(query).forEach((id, row) -> {
            assertThat(row.length()).isEqualTo(before.equals("column") ? 4 : 3);
            assertThat(row.getString(2)).isEqualTo(damaged(id) ? "unavailable" : "predicted");
        });
    }

    @Test
    void damagedImages() throws IOException {
        Path model = folder.resolve("images.onnx");
        Initialisation.HE.apply(Samples.network(), 1).toModelFile().write(model);
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(Samples.SIDE, Samples.SIDE, BufferedImage.TYPE_BYTE_GRAY), "png", png);
        List<Row> images = List.of(
                RowFactory.create(0L, png.toByteArray()),
                RowFactory.create(1L, Arrays.copyOf(png.toByteArray(), 40)),
                RowFactory.create(2L, new byte[] {1, 2, 3}),
                RowFactory.create(3L, null));
        LOCAL.spark()
                .createDataFrame(images, StructType.fromDDL("id long, image binary"))
                .createOrReplaceTempView("images");
        List<Row> rows = LOCAL.sql("SELECT id, answer.* FROM (SELECT id, predict('" + model
                        + "', image, map('type', 'image', 'onError', 'column')) AS answer FROM images) ORDER BY id")
                .collectAsList();
        assertThat(rows)
                .extracting(row -> row.getString(2))
                .containsExactly("predicted", "unavailable", "unavailable", "unavailable");
        assertThat(rows.get(0).getString(3)).isNull();
        assertThat(rows.get(1).getString(3)).startsWith("column 'image': cannot read the image");
        assertThat(rows.get(2).getString(3)).startsWith("column 'image': ");
        assertThat(rows.get(3).getString(3)).isEqualTo("column 'image' must not be null");
    }
}
