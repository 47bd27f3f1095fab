/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.metric;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.spark.job.QueryException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs of every form, through the functions as columns. */
class PartitionsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static Predict call() {
        return Predict.coded(LOCAL.model(), col("x")).option(EngineSettings.BATCH_ROWS, 4);
    }

    private static Dataset<Row> answers(Dataset<Row> rows) {
        return rows.withColumn("answer", call().toColumn()).select("id", "answer.prediction", "answer.outcome");
    }

    /** None, one, fewer than k, no whole batch, no whole group, and whole ones. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 8, 24, 25, 100})
    void anyNumberOfRows(int count) {
        check(answers(LOCAL.rows(count)).collectAsList(), count);
    }

    @Test
    void noPartitions() {
        Dataset<Row> none =
                LOCAL.spark().createDataFrame(List.of(), LOCAL.rows(1).schema());
        assertThat(answers(none).collectAsList()).isEmpty();
    }

    @Test
    void emptyPartitions() {
        check(answers(LOCAL.rows(100).filter(col("id").lt(10))).collectAsList(), 10);
        check(answers(LOCAL.rows(5).repartition(7)).collectAsList(), 5);
    }

    @Test
    void skewedPartitions() {
        check(answers(LOCAL.rows(100).repartition(5, lit(1))).collectAsList(), 100);
        check(
                answers(LOCAL.rows(100).union(LOCAL.rows(103).filter("id >= 100")))
                        .collectAsList(),
                103);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exchangedBefore(boolean adaptive) {
        LOCAL.spark().conf().set("spark.sql.adaptive.enabled", adaptive);
        check(answers(LOCAL.rows(100).repartition(4)).collectAsList(), 100);
        check(answers(LOCAL.rows(100).repartition(col("id"))).collectAsList(), 100);
        check(answers(LOCAL.rows(100).orderBy(col("id").desc())).collectAsList(), 100);
        check(
                answers(LOCAL.rows(100)
                                .groupBy("id")
                                .agg(org.apache.spark.sql.functions.first("x").as("x")))
                        .collectAsList(),
                100);
    }

    /** A task that has several segments, of one prediction and then of another, does not wait for tasks that wait for it. */
    @Test
    @Timeout(60)
    void fewerTasksThanSegments() {
        UserDefinedFunction slowly = functions.udf(
                (UDF1<Long, Long>) id -> {
                    Thread.sleep(5);
                    return id;
                },
                DataTypes.LongType);
        Dataset<Row> slow = answers(LOCAL.rows(100)).withColumn("id", slowly.apply(col("id")));
        check(slow.coalesce(2).collectAsList(), 100);
        assertThat(slow.union(slow).coalesce(2).collectAsList()).hasSize(200);
    }

    /** What is reconstructed depends on which tasks were late, and no checksum protects shuffles of RDDs. */
    @Test
    void asAnRddAnswersAreNotTheSameAgain() {
        assertThat(answers(LOCAL.rows(100)).rdd().outputDeterministicLevel())
                .isEqualTo(DeterministicLevel.INDETERMINATE());
    }

    @Test
    void nondeterministicInputs() {
        Dataset<Row> rows = LOCAL.rows(100)
                .withColumn("x", org.apache.spark.sql.functions.expr("transform(x, v -> v + floor(rand() * 10))"));
        List<Row> answered = rows.withColumn("answer", call().toColumn())
                .select("x", "answer.prediction")
                .collectAsList();
        assertThat(answered).hasSize(100).allSatisfy(row -> {
            List<Number> x = row.getList(0);
            float[] expected = LocalSession.MODEL.predict(new float[] {
                x.get(0).floatValue(), x.get(1).floatValue(), x.get(2).floatValue()
            });
            assertThat(row.<Float>getList(1)).containsExactly(expected[0], expected[1]);
        });
        assertThat(LOCAL.sql("SELECT coded_predict($model, id, id, floor(rand() * 100)).prediction FROM t")
                        .collectAsList())
                .hasSize(100);
    }

    @Test
    void withColumnAndFilter() {
        Dataset<Row> rows = LOCAL.rows(100).withColumn("answer", call().toColumn());
        assertThat(rows.columns()).containsExactly("id", "x", "answer");
        Dataset<Row> some = rows.filter(col("id").lt(20)).select("id", "answer.prediction");
        check(some.collectAsList(), 20);
        assertThat(metric(some, "numOutputRows")).isEqualTo(20);
        check(
                rows.filter(call().toColumn().getField("outcome").equalTo("predicted"))
                        .select("id", "answer.prediction")
                        .collectAsList(),
                100);
    }

    @Test
    void numericColumns() {
        Dataset<Row> rows = LOCAL.rows(50).selectExpr("id", "id % 5 AS a", "int(id % 3) AS b", "double(id % 7) AS c");
        Dataset<Row> answered = rows.select(
                col("id"),
                Predict.coded(LOCAL.model(), col("a"), col("b"), col("c"))
                        .toColumn()
                        .getField("prediction"));
        check(answered.collectAsList(), 50);
    }

    @Test
    void segmentsAsWanted() {
        LOCAL.rows(100).createOrReplaceTempView("some");
        Dataset<Row> answered = LOCAL.rows(100)
                .select(
                        col("id"),
                        call().option(CodedSettings.SEGMENTS, 9).toColumn().getField("prediction"));
        assertThat(answered.rdd().getNumPartitions()).isEqualTo(9);
        check(answered.collectAsList(), 100);
        assertThat(metric(answered, "segmentsComputed")).isEqualTo(9);
        Dataset<Row> usual = LOCAL.rows(100).select(col("id"), call().toColumn());
        assertThat(usual.rdd().getNumPartitions()).isEqualTo(6);
    }

    private static int tasks(int calls, String from) {
        String list = IntStream.range(0, calls)
                .mapToObj(call ->
                        "coded_predict($model, array(float(id), float(" + call + "), 1f)).prediction AS p" + call)
                .collect(Collectors.joining(", "));
        return LOCAL.sql("SELECT " + list + " FROM " + from).rdd().getNumPartitions();
    }

    /** Its segments are the tasks of the next call: r more for each k of them would be thousands after some calls. */
    @Test
    void furtherCallsTakeAsManyTasks() {
        for (int calls : List.of(1, 2, 4, 8)) {
            assertThat(tasks(calls, "range(0, 40, 1, 8)")).as("%d calls", calls).isEqualTo(12);
        }
        String below =
                "(SELECT id, coded_predict($model, id, id, id) AS a FROM range(0, 40, 1, 8)) WHERE a IS NOT NULL";
        assertThat(tasks(1, "(SELECT * FROM " + below + " LIMIT 10 OFFSET 1)"))
                .as("of one partition")
                .isEqualTo(3);
        assertThat(tasks(1, "(SELECT /*+ COALESCE(7) */ * FROM " + below + ")"))
                .as("rounded up")
                .isEqualTo(9);
    }

    /** Those of parity have no rows: with stripes of them, too, each call would have half as many tasks again, and less to reconstruct. */
    @Test
    void furtherCallsWithoutAnExchangeTakeAsManyTasks() {
        LOCAL.spark().conf().set(CodedSettings.EXCHANGE.key(), "never");
        for (int calls : List.of(1, 2, 4, 8)) {
            assertThat(tasks(calls, "range(0, 40, 1, 8)")).as("%d calls", calls).isEqualTo(12);
        }
        String below = "(SELECT id, coded_predict($model, id, id, id) AS a FROM range(0, 40, 1, 8))";
        String few = "(SELECT /*+ BROADCAST */ id AS i FROM range(5))";
        assertThat(tasks(1, below + " LEFT JOIN " + few + " ON id = i WHERE id > 2"))
                .as("joined")
                .isEqualTo(12);
    }

    private static final String BELOW = "(SELECT id, coded_predict($model, id, id, id%s) AS a FROM range(0, 40, 1, 8))";

    private static Dataset<Row> above(String from) {
        LOCAL.spark().conf().set(CodedSettings.EXCHANGE.key(), "never");
        return LOCAL.sql("SELECT id, coded_predict($model, x, x, x).prediction FROM " + from);
    }

    /**
     * Of an answer that is computed again, the reconstructed value may lie at the other side of a bound. Then the rows behind it come at other
     * places, and parity of some rows would be taken for that of others.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(SELECT id, a.prediction[0] AS x FROM $below WHERE a.prediction[0] > 3)",
                "(SELECT id, x FROM (SELECT id, a.prediction[1] + 1 AS x FROM $below) WHERE id > 1 AND x < 7)",
                "(SELECT id, i AS x FROM $below JOIN (SELECT /*+ BROADCAST */ id AS i FROM range(9)) ON round(a.prediction[0]) = i)",
                "(SELECT id, p[0] AS x FROM (SELECT id, predict($model, a.prediction).prediction AS p FROM $below) WHERE p[0] > 3)",
                "(SELECT id, x FROM (SELECT id, a.prediction[0] AS x FROM $below UNION ALL SELECT id, id FROM range(9)) WHERE x > 3)",
                "(SELECT id, 1 AS x FROM $below SORT BY a.prediction[0])",
                "(SELECT id, explode(filter(a.prediction, v -> v > 3)) AS x FROM $below)"
            })
    void rowsThatDependOnAnswersCannotStayWhereTheyAre(String from) {
        Dataset<Row> rows = above(from.replace("$below", BELOW.formatted("")));
        assertThatThrownBy(rows::collectAsList)
                .isInstanceOf(QueryException.class)
                .message()
                .matches(
                        "spark\\.paritas\\.coded\\.exchange can be never only where rows always come in the same order, as from files;"
                                + " these come from a coded call, and (Filter|BroadcastHashJoin|Sort|Generate) reads its answers in .+:"
                                + " leave it at always");
    }

    @Test
    void rowsThatMayBeUnavailableCannotStayWhereTheyAre() {
        Dataset<Row> rows =
                above("(SELECT id, a.prediction[0] AS x FROM " + BELOW.formatted(", map('onError', 'null')") + ")");
        assertThatThrownBy(rows::collectAsList)
                .isInstanceOf(QueryException.class)
                .hasMessage(
                        "spark.paritas.coded.exchange can be never only where rows always come in the same order, as from files;"
                                + " these come from a coded call, and rows of it may be unavailable, as its onError says: leave it at always");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(SELECT id, a.prediction[0] AS x FROM $below WHERE id > 30)",
                "(SELECT id, a.prediction[0] AS x FROM (SELECT id, a, predict($model, id, id, id).prediction AS p FROM $below) WHERE p[1] > 90)"
            })
    void conditionsOnOtherColumnsAreFine(String from) {
        assertThat(above(from.replace("$below", BELOW.formatted(""))).collectAsList())
                .hasSize(9);
    }
}
