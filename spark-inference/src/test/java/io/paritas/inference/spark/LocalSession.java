/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import io.paritas.spark.ParitasPlugin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A session for a test class, on the Spark context that the classes of this JVM share, with the plugin; a view {@code t} of
 * rows that can be predicted; and the models for them. A reconstructed prediction would be off by {@link ExactModel#OFFSET}.
 */
public final class LocalSession implements BeforeAllCallback, BeforeEachCallback {
    static final int ROWS = 100;
    static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    private static final String NOBODY_IS_LATE = "1000000";

    private SparkSession spark;
    private Path folder;

    @Override
    public void beforeAll(ExtensionContext context) {
        spark = builder().getOrCreate().newSession();
        spark.conf().set("spark.sql.shuffle.partitions", "2");
        spark.sparkContext().setLogLevel("ERROR");
        folder = temporaryFolder();
        MODEL.write(folder);
        MODEL.wrongParity(2, 1, Map.of("degraded.1-lost", 0.9)).write(folder);
    }

    static SparkSession.Builder builder() {
        return SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.scripting.enabled", "true") // it is off on Spark 4.0
                .config("spark.plugins", ParitasPlugin.class.getName());
    }

    /** Settings do not outlive a test. */
    @Override
    public void beforeEach(ExtensionContext context) {
        for (Setting<?> setting : CallSettings.all()) {
            spark.conf().unset(setting.key());
        }
        spark.conf().set(CodedSettings.PATIENCE.key(), NOBODY_IS_LATE);
        spark.conf().unset("spark.sql.adaptive.enabled");
        rows(ROWS).createOrReplaceTempView("t");
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory(Path.of("target"), "models").toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public SparkSession spark() {
        return spark;
    }

    /** Where the models are, and whatever a test writes. */
    public Path folder() {
        return folder;
    }

    String model() {
        return folder.resolve("model.onnx").toString();
    }

    /** Rows {@code id} from 0, and the model's input for it, {@code x}, in 3 partitions. */
    public Dataset<Row> rows(int count) {
        return spark.range(0, count, 1, 3).selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
    }

    /** What the model predicts for a row of {@link #rows}. */
    static List<Float> expected(long id) {
        float[] prediction = MODEL.predict(new float[] {id % 5, id % 3, id % 7});
        return List.of(prediction[0], prediction[1]);
    }

    /** Registers the function {@code known}: what the model predicts for x, without the model. */
    void registerKnown() {
        spark.udf()
                .register(
                        "known",
                        (UDF1<scala.collection.Seq<Float>, float[]>) x -> MODEL.predict(floats(x)),
                        DataTypes.createArrayType(DataTypes.FloatType, false));
    }

    private static float[] floats(scala.collection.Seq<Float> values) {
        float[] floats = new float[values.length()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = values.apply(i);
        }
        return floats;
    }

    /** A query, in which {@code $call} is a coded prediction of x, {@code $model} the model's path in quotes. */
    Dataset<Row> sql(String query) {
        return spark.sql(query.replace("$call", "coded_predict($model, x, map('batchRows', '8'))")
                .replace("$model", "'" + model() + "'"));
    }

    /** Checks that rows (id, prediction) are the right ones for the ids from 0, each once. */
    static void check(List<Row> rows, int count) {
        Set<Long> ids = new TreeSet<>();
        for (Row row : rows) {
            ids.add(row.getLong(0));
            assertThat(row.<Float>getList(1)).as("row %s", row).isEqualTo(expected(row.getLong(0)));
        }
        assertThat(rows).hasSize(count);
        assertThat(ids).hasSize(count);
    }

    /** The operators of an executed query that predict. */
    static List<SparkPlan> predictions(Dataset<Row> query) {
        List<SparkPlan> found = new ArrayList<>();
        collect(
                ((org.apache.spark.sql.classic.Dataset<Row>) query)
                        .queryExecution()
                        .executedPlan(),
                found);
        return found;
    }

    private static void collect(SparkPlan plan, List<SparkPlan> found) {
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            collect(adaptive.executedPlan(), found);
        } else if (plan instanceof QueryStageExec stage) {
            collect(stage.plan(), found);
        } else {
            if (Set.of("CodedPredict", "CascadePredict", "Predict").contains(plan.nodeName())) {
                found.add(plan);
            }
            CollectionConverters.asJava(plan.children()).forEach(child -> collect(child, found));
            for (QueryPlan<?> subquery : CollectionConverters.asJava(plan.subqueries())) {
                collect((SparkPlan) subquery, found);
            }
        }
    }

    /** A metric of the only prediction of an executed query. */
    static long metric(Dataset<Row> query, String name) {
        List<SparkPlan> predictions = predictions(query);
        assertThat(predictions).hasSize(1);
        return predictions.get(0).metrics().apply(name).value();
    }
}
