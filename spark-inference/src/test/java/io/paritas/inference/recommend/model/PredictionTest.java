/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

class PredictionTest {
    private static final Tables TABLES = Tables.of(20, 30);
    private static final GeneratedClicks CLICKS = new GeneratedClicks(TABLES, 3, 4, 1, 1);
    private static final DlrmShape SHAPE =
            new DlrmShape(3, List.of(4), TABLES, 2, Interaction.CONCATENATION, List.of(5));
    private static final InitialRows ROWS = new InitialRows(1, 2, 1);

    private static final SparkSession SPARK = LocalSpark.session().newSession();

    /** Whether partitions are computed again. */
    private static volatile boolean again;

    @BeforeAll
    static void shuffleIntoFewPartitions() {
        SPARK.conf().set("spark.sql.shuffle.partitions", "2");
        SPARK.conf().set("spark.sql.adaptive.coalescePartitions.enabled", "false");
    }

    private static TrainedModel model(long rows) {
        List<Row> all = LongStream.range(0, rows)
                .mapToObj(id -> {
                    float[] row = new float[2];
                    ROWS.fill(id, row, 0);
                    return RowFactory.create(id, row);
                })
                .toList();
        return new TrainedModel(
                SHAPE, InitialNetwork.of(SHAPE, 1), SPARK.createDataset(all, Encoders.row(TrainedModel.ROWS)));
    }

    private static Dataset<Row> samples(long count) {
        return CLICKS.samples(SPARK, 0, count, 2);
    }

    @Test
    void predictionsAreThoseOfTheModel() {
        MiniBatch batch = Batches.of(CLICKS, 0, 600);
        float[] rows = new float[batch.ids().length * 2];
        for (int i = 0; i < batch.ids().length; i++) {
            ROWS.fill(batch.ids()[i], rows, i * 2);
        }
        Dataset<Row> named = samples(600).withColumn("text", functions.lit("x"));
        Dataset<Row> predictions = model(50).predict(named);
        List<Row> found = predictions.collectAsList();
        assertThat(predictions.columns())
                .containsExactly("label", "dense", "categorical", "text", "logit", "probability");
        assertThat(found.stream().map(row -> row.toSeq().take(4).toString()))
                .containsExactlyInAnyOrderElementsOf(named.collectAsList().stream()
                        .map(row -> row.toSeq().toString())
                        .toList());
        Evaluation wanted = new Evaluation();
        try (Dlrm dlrm = Dlrm.open(SHAPE, 1)) {
            wanted.add(dlrm.logits(batch, InitialNetwork.of(SHAPE, 1), rows), batch.labels());
        }
        Evaluation evaluation = Evaluation.of(predictions);
        assertThat(evaluation.samples()).isEqualTo(600);
        assertThat(evaluation.auc()).isCloseTo(wanted.auc(), within(1e-3));
        assertThat(evaluation.logLoss()).isCloseTo(wanted.logLoss(), within(1e-6));
        assertThat(found).allSatisfy(row -> assertThat((double) row.<Float>getAs("probability"))
                .isCloseTo(1 / (1 + Math.exp(-row.<Float>getAs("logit"))), within(1e-6)));
    }

    /** The same sample with and without its rows: what has none is summed to nothing. */
    @Test
    void samplesNeedNeitherLabelsNorIds() {
        Dataset<Row> bare = samples(1)
                .selectExpr("dense", "array() AS none", "categorical[0] AS one")
                .selectExpr("dense", "explode(array(CAST(none AS ARRAY<BIGINT>), array(one, one))) AS categorical");
        List<Row> found = model(50)
                .predict(bare)
                .orderBy(functions.size(functions.col("categorical")))
                .collectAsList();
        MiniBatch batch = Batches.of(CLICKS, 0, 1);
        long id = found.get(1).<Long>getList(1).get(0);
        float[] row = new float[2];
        ROWS.fill(id, row, 0);
        float[][] dense = {batch.dense(), batch.dense()};
        MiniBatch wanted = Batches.of(3, TABLES, new float[2], dense, new long[][] {{}, {id, id}});
        try (Dlrm dlrm = Dlrm.open(SHAPE, 1)) {
            float[] logits = dlrm.logits(wanted, InitialNetwork.of(SHAPE, 1), row);
            assertThat(found.get(0).getFloat(2)).isCloseTo(logits[0], within(1e-6f));
            assertThat(found.get(1).getFloat(2)).isCloseTo(logits[1], within(1e-6f));
            assertThat(logits[0]).isNotCloseTo(logits[1], within(1e-4f));
        }
    }

    @Test
    void whatCannotBePredictedIsRefused() {
        assertThatThrownBy(() -> model(10).predict(samples(20)).collect())
                .rootCause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("ids must be those of embedding rows of the model, got ");
        assertThatThrownBy(() -> model(50)
                        .predict(samples(20).withColumn("dense", functions.slice(functions.col("dense"), 1, 2)))
                        .collect())
                .rootCause()
                .hasMessage("the model takes 3 dense numbers, got 2");
        assertThatThrownBy(() -> model(50)
                        .predict(samples(20).withColumn("categorical", functions.expr("CAST(null AS ARRAY<BIGINT>)")))
                        .collect())
                .rootCause()
                .hasMessage("ids of embedding rows must be numbers, got null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model(50).predict(samples(1).withColumn("logit", functions.lit(1))))
                .withMessage("samples must not have the columns [logit, probability] of predictions, got label, dense,"
                        + " categorical, logit: rename or drop them");
    }

    /** As after the loss of an executor: what comes from an exchange may come in another order then. Samples were lost or doubled. */
    @ParameterizedTest
    @ValueSource(strings = {"id AS note", "map(id, id) AS note; id AS other; 1 AS twice; 2 AS twice"})
    void eachSampleIsPredictedOnceIfPartitionsAreComputedAgain(String columns) {
        MapPartitionsFunction<Row, Row> arrived = rows -> {
            List<Row> all = new ArrayList<>();
            rows.forEachRemaining(all::add);
            if (again) {
                Collections.reverse(all);
            }
            return all.iterator();
        };
        Dataset<Row> exchanged = SPARK.range(100)
                .selectExpr(Stream.concat(
                                Stream.of("array(float(id % 3), 1f, 2f) AS dense", "array(id % 50, 7L) AS categorical"),
                                Stream.of(columns.split("; ")))
                        .toArray(String[]::new))
                .repartition(2, functions.col("categorical"));
        JavaRDD<Row> predictions = model(50)
                .predict(exchanged.mapPartitions(arrived, Encoders.row(exchanged.schema())))
                .toJavaRDD();
        assertThat(predictions.getNumPartitions()).isEqualTo(2);
        again = false;
        List<Row> found = new ArrayList<>(predictions.collectPartitions(new int[] {0})[0]);
        again = true;
        loseMapOutputs();
        found.addAll(predictions.collectPartitions(new int[] {1})[0]);
        assertThat(found.stream().map(row -> row.get(2).toString()))
                .hasSize(100)
                .doesNotHaveDuplicates();
    }

    private static void loseMapOutputs() {
        MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        CollectionConverters.asJava(tracker.shuffleStatuses().keys().toSeq())
                .forEach(shuffle -> tracker.unregisterAllMapAndMergeOutput((int) (Object) shuffle));
    }
}
