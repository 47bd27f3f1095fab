/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.expected;
import static io.paritas.inference.spark.LocalSession.metric;
import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** Calls wherever a query can have one. */
class SqlQueriesTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static List<Row> rows(String query) {
        return LOCAL.sql(query).collectAsList();
    }

    private static float first(long id) {
        return expected(id).get(0);
    }

    private static LongStream ids() {
        return LongStream.range(0, ROWS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void select(boolean adaptive) {
        LOCAL.spark().conf().set("spark.sql.adaptive.enabled", adaptive);
        Dataset<Row> query = LOCAL.sql("SELECT id, $call.prediction, $call.outcome FROM t");
        List<Row> rows = query.collectAsList();
        check(rows, ROWS);
        assertThat(rows).allMatch(row -> row.getString(2).equals("predicted"));
        assertThat(metric(query, "numOutputRows")).isEqualTo(ROWS);
        assertThat(metric(query, "unavailableRows")).isZero();
        assertThat(metric(query, "reconstructedRows")).isZero();
    }

    @Test
    void theAnswerIsAStruct() {
        assertThat(LOCAL.sql("SELECT $call AS answer FROM t").schema().toDDL())
                .isEqualTo("answer STRUCT<prediction: ARRAY<FLOAT>, outcome: STRING NOT NULL> NOT NULL");
        assertThat(LOCAL.sql("SELECT predict($model, x, map('onError', 'column')) AS answer FROM t")
                        .schema()
                        .toDDL())
                .isEqualTo("answer STRUCT<prediction: ARRAY<FLOAT>, outcome: STRING NOT NULL, error: STRING> NOT NULL");
    }

    @Test
    void where() {
        Dataset<Row> query = LOCAL.sql("SELECT id FROM t WHERE $call.prediction[0] > 5");
        assertThat(query.collectAsList())
                .extracting(row -> row.getLong(0))
                .containsExactlyInAnyOrderElementsOf(
                        ids().filter(id -> first(id) > 5).boxed().toList());
    }

    @Test
    void oneCallManyTimesIsOnePrediction() {
        Dataset<Row> query = LOCAL.sql("SELECT id, $call.prediction, $call.prediction[1] AS second FROM t"
                + " WHERE $call.outcome = 'predicted' ORDER BY $call.prediction[0], id");
        check(query.collectAsList(), ROWS);
        assertThat(predictions(query)).hasSize(1);
    }

    @Test
    void differentCallsAreDifferentPredictions() {
        Dataset<Row> query = LOCAL.sql("SELECT id, $call.prediction, predict($model, x).prediction AS plain,"
                + " $call.prediction = predict($model, x).prediction AS equal FROM t");
        List<Row> rows = query.collectAsList();
        check(rows, ROWS);
        assertThat(rows).allMatch(row -> row.getBoolean(3));
        assertThat(predictions(query))
                .extracting(plan -> plan.nodeName())
                .containsExactlyInAnyOrder("CodedPredict", "Predict");
    }

    @Test
    void groupBy() {
        Map<Float, Long> counts = new TreeMap<>();
        for (Row row : rows("SELECT $call.prediction[0] AS p, count(*) FROM t GROUP BY $call.prediction[0]")) {
            counts.put(row.getFloat(0), row.getLong(1));
        }
        assertThat(counts)
                .isEqualTo(ids().boxed().collect(Collectors.groupingBy(SqlQueriesTest::first, Collectors.counting())));
    }

    @Test
    void aggregateAndHaving() {
        List<Row> rows = rows("SELECT id % 4 AS part, max($call.prediction[0]) AS most FROM t GROUP BY id % 4"
                + " HAVING max($call.prediction[0]) > 0 ORDER BY part");
        List<Float> most = LongStream.range(0, 4)
                .mapToObj(part -> ids().filter(id -> id % 4 == part)
                        .mapToObj(SqlQueriesTest::first)
                        .max(Comparator.naturalOrder())
                        .orElseThrow())
                .toList();
        assertThat(rows).extracting(row -> row.getFloat(1)).isEqualTo(most);
    }

    @Test
    void callOfAnAggregate() {
        List<Row> rows = rows("SELECT id % 4 AS part, predict($model, array(max(x[0]), min(x[1]), float(count(*))))"
                + ".prediction AS p FROM t GROUP BY id % 4 ORDER BY part");
        float[] expected = LocalSession.MODEL.predict(new float[] {4, 0, 25});
        assertThat(rows).hasSize(4);
        assertThat(rows).allMatch(row -> row.<Float>getList(1).equals(List.of(expected[0], expected[1])));
    }

    @Test
    void orderBy() {
        List<Row> rows = rows("SELECT id FROM t ORDER BY $call.prediction[0], id");
        Comparator<Long> byPrediction = Comparator.comparing(SqlQueriesTest::first);
        assertThat(rows)
                .extracting(row -> row.getLong(0))
                .isEqualTo(ids().boxed()
                        .sorted(byPrediction.thenComparing(Function.identity()))
                        .toList());
    }

    @Test
    void window() {
        List<Row> rows = rows("SELECT id, row_number() OVER (ORDER BY $call.prediction[0], id) AS place,"
                + " sum($call.prediction[0]) OVER (PARTITION BY id % 2) AS total FROM t");
        assertThat(rows).hasSize(ROWS);
        double even = ids().filter(id -> id % 2 == 0)
                .mapToDouble(SqlQueriesTest::first)
                .sum();
        assertThat(rows.stream().filter(row -> row.getLong(0) % 2 == 0)).allMatch(row -> row.getDouble(2) == even);
        assertThat(rows).extracting(row -> row.getInt(1)).doesNotHaveDuplicates();
    }

    @Test
    void explode() {
        List<Row> rows = rows("SELECT id, at, value FROM t LATERAL VIEW posexplode($call.prediction) AS at, value");
        assertThat(rows).hasSize(2 * ROWS);
        assertThat(rows).allMatch(row -> expected(row.getLong(0)).get(row.getInt(1)) == row.getFloat(2));
        assertThat(rows("SELECT explode($call.prediction) FROM t")).hasSize(2 * ROWS);
    }

    @Test
    void nested() {
        String inner = "predict($model, x).prediction";
        List<Row> rows = rows("SELECT id, coded_predict($model, array_append(" + inner + ", 1f)).prediction FROM t");
        assertThat(rows).hasSize(ROWS);
        for (Row row : rows) {
            List<Float> first = expected(row.getLong(0));
            float[] second = LocalSession.MODEL.predict(new float[] {first.get(0), first.get(1), 1});
            assertThat(row.<Float>getList(1)).containsExactly(second[0], second[1]);
        }
    }

    @Test
    void commonTableExpressionAndView() {
        check(rows("WITH a AS (SELECT id, $call AS answer FROM t) SELECT id, answer.prediction FROM a"), ROWS);
        LOCAL.sql("SELECT id, $call AS answer FROM t").createOrReplaceTempView("answers");
        check(rows("SELECT id, answer.prediction FROM answers"), ROWS);
    }

    @Test
    void aFilterOnAViewComesBeforeThePrediction() {
        LOCAL.sql("SELECT id, $call AS answer FROM t").createOrReplaceTempView("answers");
        Dataset<Row> query = LOCAL.sql("SELECT id, answer.prediction FROM answers"
                + " WHERE id < 10 AND answer.outcome = 'predicted' AND rand() < 2");
        check(query.collectAsList(), 10);
        assertThat(metric(query, "numOutputRows")).isEqualTo(10);
    }

    @Test
    void joins() {
        LOCAL.sql("SELECT id, $call.prediction AS prediction FROM t").createOrReplaceTempView("answers");
        check(rows("SELECT a.id, b.prediction FROM answers a JOIN answers b ON a.id = b.id"), ROWS);
        check(rows("SELECT id, a.prediction FROM answers a JOIN t USING (id)"), ROWS);
        check(
                rows("SELECT a.id, b.answer.prediction FROM answers a JOIN"
                        + " (SELECT id, predict($model, x) AS answer FROM t) b ON a.id = b.id"
                        + " AND a.prediction = b.answer.prediction"),
                ROWS);
        Dataset<Row> answers = LOCAL.sql("SELECT *, $call AS answer FROM t");
        Dataset<Row> self = answers.join(answers, "id");
        assertThat(self.collectAsList()).hasSize(ROWS);
    }

    @Test
    void union() {
        List<Row> rows = rows("SELECT id, $call.prediction FROM t WHERE id < 50"
                + " UNION ALL SELECT id, $call.prediction FROM t WHERE id >= 50");
        check(rows, ROWS);
        Dataset<Row> answers = LOCAL.sql("SELECT id, $call AS answer FROM t");
        assertThat(answers.union(answers).collectAsList()).hasSize(2 * ROWS);
    }

    @Test
    void limit() {
        check(rows("SELECT id, $call.prediction FROM t ORDER BY id LIMIT 7"), 7);
        Dataset<Row> query = LOCAL.sql("SELECT id, $call.prediction FROM t LIMIT 7");
        assertThat(query.collectAsList()).hasSize(7);
        assertThat(predictions(query).get(0).toString()).contains("LocalLimit 7");
        assertThat(LOCAL.sql("SELECT id, $call.prediction FROM t").takeAsList(5))
                .hasSize(5);
        assertThat(LOCAL.sql("SELECT id, $call.prediction FROM t").head().<Float>getList(1))
                .hasSize(2);
    }

    @Test
    void distinctAndCount() {
        assertThat(rows("SELECT DISTINCT $call.prediction FROM t"))
                .hasSize((int) ids().mapToObj(LocalSession::expected).distinct().count());
        assertThat(LOCAL.sql("SELECT id, $call FROM t").count()).isEqualTo(ROWS);
    }

    @Test
    void subqueries() {
        assertThat(rows("SELECT (SELECT count($call.prediction) FROM t) AS n"))
                .containsExactly(org.apache.spark.sql.RowFactory.create((long) ROWS));
        assertThat(rows("SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE $call.prediction[0] > 5)"))
                .hasSize((int) ids().filter(id -> first(id) > 5).count());
    }

    @Test
    void cachedIsPredictedOnce() {
        Dataset<Row> answers = LOCAL.sql("SELECT id, $call.prediction FROM t").cache();
        try {
            check(answers.collectAsList(), ROWS);
            check(answers.collectAsList(), ROWS);
            check(answers.filter("id < 10").collectAsList(), 10);
        } finally {
            answers.unpersist(true);
        }
    }

    /** Spark has one cache for all sessions of an application. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT predict($model, array(float(id), 1f, 2f)).prediction FROM range(1, 2)",
                "SELECT (SELECT max(predict($model, array(float(r.id), 1f, 2f)).prediction) FROM range(9) r"
                        + " WHERE r.id = t.id) FROM range(1, 2) t"
            })
    void aCacheIsForCallsWithTheSameSettings(String query) {
        Dataset<Row> kept = LOCAL.sql(query).cache();
        try {
            kept.count();
            Dataset<Row> same = LOCAL.sql(query);
            assertThat(same.head().<Float>getList(0)).isEqualTo(prediction(1, 1, 2));
            assertThat(executed(same)).contains("InMemoryTableScan");

            SparkSession other = LOCAL.spark().newSession();
            other.conf().set("spark.paritas.input.scale", "2");
            Dataset<Row> twice = other.sql(query.replace("$model", "'" + LOCAL.model() + "'"));
            assertThat(twice.head().<Float>getList(0)).isEqualTo(prediction(2, 2, 4));
        } finally {
            kept.unpersist(true);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT (SELECT max(predict($model, array(float(r.id), 1f, 2f)).error) FROM range(9) r WHERE r.id = t.id),"
                        + " predict($model, array(float(id), 1f, 2f)).prediction FROM range(1, 2) t",
                "SELECT a.error, a.prediction FROM range(1, 2) t,"
                        + " LATERAL (SELECT predict($model, array(float(t.id), 1f, 2f)) AS a FROM range(9) r WHERE r.id = t.id)",
                "SELECT l.error, r.prediction FROM range(1, 2) t"
                        + " JOIN LATERAL (SELECT predict($model, array(float(t.id), 1f, 2f)) AS r) ON r.error IS NULL"
                        + " JOIN LATERAL (SELECT predict($model, array(float(t.id), 1f, 2f)) AS l) ON l.error IS NULL"
            })
    void aDatasetKeepsItsSettings(String query) {
        LOCAL.spark().conf().set("spark.paritas.engine.onError", "column");
        LOCAL.spark().conf().set("spark.paritas.input.scale", "2");
        Dataset<Row> made = LOCAL.sql(query);
        LOCAL.spark().conf().unset("spark.paritas.engine.onError");
        LOCAL.spark().conf().unset("spark.paritas.input.scale");
        Row row = made.head();
        assertThat(row.isNullAt(0)).isTrue();
        assertThat(row.<Float>getList(1)).isEqualTo(prediction(2, 2, 4));
    }

    private static List<Float> prediction(float... input) {
        float[] values = LocalSession.MODEL.predict(input);
        return List.of(values[0], values[1]);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void writtenAndReadAgain(boolean adaptive) {
        LOCAL.spark().conf().set("spark.sql.adaptive.enabled", adaptive);
        String path = LOCAL.folder().resolve("answers-" + adaptive).toString();
        LOCAL.sql("SELECT id, $call AS answer FROM t").write().parquet(path);
        check(
                LOCAL.spark()
                        .read()
                        .parquet(path)
                        .select("id", "answer.prediction")
                        .collectAsList(),
                ROWS);
    }

    @Test
    void createTableAndInsert() {
        try {
            LOCAL.sql("CREATE TABLE answered USING parquet AS SELECT id, $call.prediction FROM t WHERE id < 60");
            LOCAL.sql("INSERT INTO answered SELECT id, $call.prediction FROM t WHERE id >= 60");
            check(rows("SELECT * FROM answered"), ROWS);
        } finally {
            LOCAL.spark().sql("DROP TABLE IF EXISTS answered");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " WHERE answer.outcome = 'predicted'", " WHERE answer.outcome <> large", " LIMIT 100"})
    void columnsThatNobodyWantsArePruned(String rest) {
        Dataset<Row> query = LOCAL.sql("SELECT id, answer.prediction FROM (SELECT *, $call AS answer FROM"
                + " (SELECT *, repeat(string(id), 1000) AS large FROM t))" + rest);
        check(query.collectAsList(), ROWS);
        assertThat(predictions(query)).hasSize(1);
        assertThat(predictions(query).get(0).schema().fieldNames())
                .containsExactly(
                        rest.contains("large")
                                ? new String[] {"id", "large", "answer"}
                                : new String[] {"id", "answer"});
    }

    @Test
    void aFunctionOfTheSessionComesFirst() {
        SparkSession session = LOCAL.spark().newSession();
        session.udf().register("predict", (UDF1<Long, Long>) id -> id + 1, DataTypes.LongType);
        LOCAL.rows(ROWS).createOrReplaceGlobalTempView("rows");
        Dataset<Row> rows = session.table("global_temp.rows");
        try {
            assertThat(session.sql("SELECT max(predict(id)) FROM global_temp.rows")
                            .head()
                            .getLong(0))
                    .isEqualTo(ROWS);
            assertThat(rows.select(functions.call_function("predict", functions.col("id")))
                            .count())
                    .isEqualTo(ROWS);
            check(
                    session.sql("SELECT id, paritas_predict('" + LOCAL.model()
                                    + "', x).prediction FROM global_temp.rows")
                            .collectAsList(),
                    ROWS);
            Column answer = Predict.plain(LOCAL.model(), functions.col("x")).toColumn();
            check(
                    rows.select(functions.col("id"), answer.getField("prediction"))
                            .collectAsList(),
                    ROWS);
        } finally {
            session.catalog().dropGlobalTempView("rows");
        }
    }

    @Test
    void aViewKeepsItsFunction() {
        SparkSession session = LOCAL.spark().newSession();
        assumeTrue(
                session.version().compareTo("4.2") >= 0,
                "before Spark 4.2 the name of an extension's function is free to be registered, or nobody's in views");
        LOCAL.rows(ROWS).createOrReplaceGlobalTempView("rows");
        try {
            session.sql("CREATE TEMPORARY VIEW answers AS SELECT id, predict('" + LOCAL.model()
                    + "', x).prediction FROM global_temp.rows");
            session.sql("CREATE TEMPORARY FUNCTION predict(a INT) RETURNS TABLE(b INT) RETURN SELECT a AS b");
            check(
                    session.sql("SELECT id, predict('" + LOCAL.model() + "', x).prediction FROM global_temp.rows")
                            .collectAsList(),
                    ROWS);
            session.sql("DROP TEMPORARY FUNCTION predict");
            session.udf().register("predict", (UDF1<Long, Long>) id -> id + 1, DataTypes.LongType);
            check(session.table("answers").collectAsList(), ROWS);
            session.sql("CREATE TEMPORARY VIEW next AS SELECT predict(id) AS n FROM global_temp.rows");
            assertThat(session.sql("SELECT max(n) FROM next").head().getLong(0)).isEqualTo(ROWS);
        } finally {
            session.catalog().dropGlobalTempView("rows");
        }
    }

    @Test
    void constantAndComputedInputs() {
        assertThat(rows("SELECT id, predict($model, 1, 2, id).prediction FROM t"))
                .allSatisfy(row -> {
                    float[] expected = LocalSession.MODEL.predict(new float[] {1, 2, row.getLong(0)});
                    assertThat(row.<Float>getList(1)).containsExactly(expected[0], expected[1]);
                });
        float[] expected = LocalSession.MODEL.predict(new float[] {1, 2, 3});
        assertThat(rows("SELECT coded_predict($model, array(1, 2, 3)).prediction"))
                .allSatisfy(row -> assertThat(row.<Float>getList(0)).containsExactly(expected[0], expected[1]));
    }

    /** Spark takes the body of an SQL function apart, where its arguments are constants. */
    @Test
    void sqlFunctions() {
        LOCAL.sql("CREATE TEMPORARY FUNCTION shifted(a FLOAT, b FLOAT, c FLOAT) RETURNS FLOAT"
                + " RETURN a + predict($model, array(a, b, c)).prediction[0]");
        LOCAL.sql("CREATE TEMPORARY FUNCTION both(x ARRAY<FLOAT>) RETURNS ARRAY<FLOAT>"
                + " RETURN coded_predict($model, x).prediction");
        float[] expected = LocalSession.MODEL.predict(new float[] {1, 2, 3});

        assertThat(rows("SELECT shifted(1f, 2f, 3f)")).singleElement().satisfies(row -> assertThat(row.getFloat(0))
                .isEqualTo(1 + expected[0]));
        assertThat(rows("SELECT id, both(array(1f, 2f, 3f)) FROM t"))
                .hasSize(ROWS)
                .allSatisfy(row -> assertThat(row.<Float>getList(1)).containsExactly(expected[0], expected[1]));
        assertThat(rows("SELECT id FROM t WHERE both(array(1f, 2f, 3f))[0] = both(x)[0]"))
                .extracting(row -> row.getLong(0))
                .containsExactlyInAnyOrderElementsOf(
                        ids().filter(id -> first(id) == expected[0]).boxed().toList());
        check(rows("SELECT id, both(x) FROM t"), ROWS);
        assertThat(rows("SELECT id, shifted(x[0], 2f, both(array(1f, 2f, 3f))[0]) FROM t"))
                .allSatisfy(row -> {
                    float a = row.getLong(0) % 5;
                    assertThat(row.getFloat(1))
                            .isEqualTo(a + LocalSession.MODEL.predict(new float[] {a, 2, expected[0]})[0]);
                });
    }

    @Test
    void selectWithoutFrom() {
        float[] expected = LocalSession.MODEL.predict(new float[] {1, 2, 3});
        List<Float> right = List.of(expected[0], expected[1]);
        assertThat(rows("SELECT predict($model, x).prediction FROM (SELECT array(1f, 2f, 3f) AS x)"))
                .singleElement()
                .satisfies(row -> assertThat(row.<Float>getList(0)).isEqualTo(right));
        assertThat(rows("SELECT id, (SELECT predict($model, 1, 2, 3).prediction) AS p FROM t WHERE id < 5"
                        + " ORDER BY (SELECT predict($model, 1, 2, 3).prediction[0]), id"))
                .hasSize(5)
                .allSatisfy(row -> assertThat(row.<Float>getList(1)).isEqualTo(right));
        assertThat(rows("SELECT predict($model, 1, 2, 3).prediction UNION ALL SELECT x FROM t WHERE id = 0"))
                .extracting(row -> row.<Float>getList(0))
                .containsExactlyInAnyOrder(right, List.of(0f, 0f, 0f));
        assertThat(rows(
                        "SELECT a.id FROM t a LEFT JOIN t b ON a.id = b.id AND predict($model, 1, 2, 3).prediction[0] = "
                                + expected[0]))
                .hasSize(ROWS);
    }

    /** Spark evaluates it once, not for each row around it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id, (SELECT predict($model, 1, 2, 3).prediction) AS p FROM t",
                "SELECT id FROM t WHERE (SELECT predict($model, 1, 2, 3).prediction[0]) > -1000",
                "SELECT id, p FROM t, LATERAL (SELECT predict($model, 1, 2, 3).prediction AS p)",
                "WITH c AS (SELECT predict($model, 1, 2, 3).prediction AS p) SELECT id, (SELECT p FROM c) FROM t"
            })
    void aSubqueryWithoutFromIsOnePrediction(String query) {
        Dataset<Row> answers = LOCAL.sql(query);
        assertThat(answers.collectAsList()).hasSize(ROWS);
        assertThat(metric(answers, "numOutputRows")).isEqualTo(1);
    }

    @Test
    void equalCallsAboveEachOtherAreOnePredictionWithoutFrom() {
        Dataset<Row> query = LOCAL.sql("SELECT p, predict($model, 1, 2, 3).prediction"
                + " FROM (SELECT predict($model, 1, 2, 3).prediction AS p)");
        Row row = query.head();
        assertThat(row.<Float>getList(1)).isEqualTo(row.<Float>getList(0)).isEqualTo(prediction(1, 2, 3));
        assertThat(predictions(query)).hasSize(1);
    }

    /** Spark looks for them in the plan of a view, and lets its text use only those that it found. */
    @Test
    void viewsMayReadVariables() {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        LOCAL.sql("DECLARE OR REPLACE VARIABLE on_error STRING DEFAULT 'null'");
        String call = "SELECT id, %s(model_path, x).prediction FROM t";
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW of_plain AS " + String.format(call, "predict"));
        check(rows("SELECT * FROM of_plain"), ROWS);
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW of_coded AS " + String.format(call, "coded_predict"));
        check(rows("SELECT * FROM of_coded"), ROWS);
        LOCAL.sql(
                "CREATE OR REPLACE TEMP VIEW of_option AS SELECT id, predict($model, x, map('onError', on_error)).prediction FROM t");
        check(rows("SELECT * FROM of_option"), ROWS);
        LOCAL.sql(
                "CREATE OR REPLACE TEMP VIEW of_two AS SELECT id, predict($model, x).prediction AS p, predict(model_path, x).prediction AS q FROM t");
        check(rows("SELECT id, q FROM of_two"), ROWS);
        LOCAL.sql(
                "CREATE OR REPLACE TEMP VIEW of_condition AS SELECT id, x FROM t WHERE predict(model_path, x).prediction IS NOT NULL");
        assertThat(rows("SELECT * FROM of_condition")).hasSize(ROWS);
        LOCAL.sql("CACHE TABLE cached AS " + String.format(call, "predict"));
        check(rows("SELECT * FROM cached"), ROWS);
        LOCAL.sql("UNCACHE TABLE cached");
    }

    @Test
    void lastingViewsMayNotReadVariables() {
        assumeTrue(
                LOCAL.spark().version().compareTo("4.2") >= 0,
                "before Spark 4.2, functions of extensions are temporary, too");
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        assertThatThrownBy(
                        () -> LOCAL.sql("CREATE VIEW lasting AS SELECT predict(model_path, id, id, id) FROM range(3)"))
                .hasMessageContaining("it references to the temporary object `model_path` of the type VARIABLE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id, predict($model, x).prediction AS p, predict(model_path, x).prediction AS q FROM t",
                "SELECT id, predict(model_path, x).prediction AS p FROM t WHERE predict($model, x).prediction IS NOT NULL",
                "SELECT id, predict(model_path, x).prediction AS p FROM t"
                        + " WHERE predict(session.model_path, x).prediction IS NOT NULL"
            })
    void aCallWithAVariableIsTheSameAsWithout(String text) {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        Dataset<Row> query = LOCAL.sql(text);
        check(query.collectAsList(), ROWS);
        assertThat(predictions(query)).hasSize(1);

        LOCAL.sql("CREATE OR REPLACE TEMP VIEW of_both AS " + text);
        check(rows("SELECT * FROM of_both"), ROWS);
    }

    /** Also with what the call reads from a variable, which a view above has to name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a.id, predict(%s, x).prediction AS q, p FROM inner_view a JOIN (SELECT id FROM t) b ON a.id = b.id",
                "SELECT a.id, predict(%s, x).prediction AS q, p FROM (SELECT id FROM t) b JOIN inner_view a ON a.id = b.id",
                "SELECT a.id, predict(%s, x).prediction AS q, p FROM inner_view a LEFT JOIN (SELECT id FROM t) b ON a.id = b.id",
                "SELECT a.id, predict(%s, x).prediction AS q, p FROM (SELECT id FROM t) b RIGHT JOIN inner_view a ON a.id = b.id",
                "SELECT a.id, predict(%s, x).prediction AS q, p FROM inner_view a, (SELECT 1) b",
                "SELECT id, predict(%s, x).prediction AS q, p FROM inner_view",
                "SELECT id, predict(%s, z).prediction AS q, p FROM (SELECT id, x AS z, p FROM inner_view)",
                "SELECT id, predict(%s, x).prediction AS q, p FROM (SELECT * FROM inner_view WHERE p IS NOT NULL)"
            })
    void equalCallsAboveJoinsAndViewsAreOnePrediction(String text) {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW inner_view AS SELECT id, x, predict($model, x).prediction AS p FROM t");
        for (String path : List.of("$model", "model_path")) {
            Dataset<Row> query = LOCAL.sql(String.format(text, path));
            check(query.collectAsList(), ROWS);
            assertThat(query.filter("q <=> p").count()).isEqualTo(ROWS);
            assertThat(predictions(query)).as(path).hasSize(1);
            LOCAL.sql("CREATE OR REPLACE TEMP VIEW outer_view AS " + String.format(text, path));
            Dataset<Row> viewed = LOCAL.sql("SELECT * FROM outer_view");
            check(viewed.collectAsList(), ROWS);
            assertThat(predictions(viewed)).as("a view with %s", path).hasSize(1);
        }
    }

    /** Both sides are one analysed plan, whose answers have one column. */
    @Test
    void callsOnBothSidesOfADatasetThatIsJoinedWithItself() {
        Dataset<Row> answers = LOCAL.sql("SELECT id, x, predict($model, x).prediction AS p FROM t");
        answers.createOrReplaceTempView("twice");
        String both =
                "predict($model, a.x).prediction AS qa, predict($model, b.x).prediction AS qb, a.p AS pa, b.p AS pb";
        Dataset<Row> query = LOCAL.sql("SELECT a.id, " + both + " FROM twice a JOIN twice b ON a.id = b.id + 1");

        assertThat(query.collectAsList()).hasSize(ROWS - 1);
        assertThat(query.filter("qa <=> pa AND qb <=> pb").count()).isEqualTo(ROWS - 1);
        assertThat(predictions(query)).hasSize(3);
    }

    /** The condition needs the answers of all rows: those that are left have them. */
    @ParameterizedTest
    @CsvSource({"JOIN, 5, 1", "LEFT SEMI JOIN, 5, 1", "LEFT ANTI JOIN, 5, 99", "LEFT JOIN, 5, 100"})
    void whatTheConditionOfAJoinPredictsIsPredictedOnce(String join, int more, int rows) {
        Dataset<Row> query = LOCAL.sql("SELECT t.id, $call.prediction FROM t " + join
                + " (SELECT id AS i FROM t) u ON t.id = i AND $call.prediction[0] > " + more);
        List<Row> answers = query.collectAsList();
        assertThat(answers).hasSize(rows).allSatisfy(row -> assertThat(row.<Float>getList(1))
                .isEqualTo(expected(row.getLong(0))));
        assertThat(predictions(query)).hasSize(1);
    }

    /** What the join fills in has no answer, and a call over it would fail. */
    @Test
    void rowsThatAnOuterJoinFillsInArePredictedAboveIt() {
        Dataset<Row> query = LOCAL.sql("SELECT b.id, predict($model, x, map('onError', 'column')) AS q, p"
                + " FROM (SELECT id + 50 AS id FROM t) b LEFT JOIN"
                + " (SELECT id, x, predict($model, x, map('onError', 'column')) AS p FROM t) a ON a.id = b.id");
        List<Row> rows = query.select("id", "q.prediction", "q.error", "p").collectAsList();
        assertThat(rows).hasSize(ROWS).allSatisfy(row -> {
            if (row.getLong(0) < ROWS) {
                assertThat(row.<Float>getList(1)).isEqualTo(expected(row.getLong(0)));
            } else {
                assertThat(row.isNullAt(1)).isTrue();
                assertThat(row.getString(2)).isNotEmpty();
                assertThat(row.isNullAt(3)).isTrue();
            }
        });
        assertThat(predictions(query)).hasSize(2);
    }

    @Test
    void answersThatAreReusedAreCarriedOnce() {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        Dataset<Row> reused =
                LOCAL.sql("SELECT id, predict($model, x).prediction, predict(model_path, x).prediction AS p,"
                        + " $call.prediction AS q FROM t");
        check(reused.collectAsList(), ROWS);
        assertThat(predictions(reused)).hasSize(2).allSatisfy(prediction -> assertThat(
                        CollectionConverters.asJava(prediction.output()))
                .extracting(Attribute::exprId)
                .doesNotHaveDuplicates());
    }

    @ParameterizedTest
    @ValueSource(strings = {"$model", "session.model_path"})
    void aCacheIsForCallsWithAndWithoutVariables(String path) {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        String text = "SELECT id, predict(%s, x).prediction FROM t";
        Dataset<Row> kept = LOCAL.sql(String.format(text, "model_path")).cache();
        try {
            Dataset<Row> same = LOCAL.sql(String.format(text, path));
            check(same.collectAsList(), ROWS);
            assertThat(executed(same)).contains("InMemoryTableScan");
        } finally {
            kept.unpersist(true);
        }
    }

    private static String executed(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    /** Each is refused by the others. */
    @Test
    void aFunctionIsDescribedWithItsOwnOptions() {
        for (String function : List.of("predict", "coded_predict", "folded_predict", "cascade_predict")) {
            String text = rows("DESCRIBE FUNCTION EXTENDED " + function).stream()
                    .map(row -> row.getString(0))
                    .collect(Collectors.joining("\n"));
            assertThat(text).contains(", onError,");
            assertThat(text.contains(", patience,")).as(function).isEqualTo(function.equals("coded_predict"));
            assertThat(text.contains(", threshold")).as(function).isEqualTo(function.equals("cascade_predict"));
        }
    }

    @Test
    void describeFunction() {
        String text = rows("DESCRIBE FUNCTION EXTENDED coded_predict").stream()
                .map(row -> row.getString(0))
                .collect(Collectors.joining("\n"));
        assertThat(text)
                .contains("Function: coded_predict\n")
                .contains(
                        "coded_predict(model, column...[, options]) - predicts with a model; the rows of slow and dead"
                                + " tasks are reconstructed from others: a struct of prediction, outcome (predicted,"
                                + " reconstructed or unavailable) and, with onError=column, error.")
                .contains("* options - a constant map of texts; there are parity, r, segments,")
                .contains("> SELECT * FROM coded_predict(TABLE(images), '/models/model.onnx', 'image');");
        assertThat(rows("SHOW FUNCTIONS LIKE '*predict'"))
                .extracting(row -> row.getString(0))
                .containsExactlyInAnyOrder(
                        "cascade_predict",
                        "coded_predict",
                        "folded_predict",
                        "predict",
                        "paritas_cascade_predict",
                        "paritas_coded_predict",
                        "paritas_folded_predict",
                        "paritas_predict");
    }
}
