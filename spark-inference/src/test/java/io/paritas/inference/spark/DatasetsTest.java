/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.predictions;
import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.monotonically_increasing_id;
import static org.apache.spark.sql.functions.rand;
import static org.apache.spark.sql.functions.reverse;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datasets that are made step by step have the rows that they have with a plain function that answers as the model does. */
class DatasetsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final Column DOWN = col("id").desc();
    private static final Column FIRST = col("a").getItem(0);

    /** A Dataset of {@code id}, {@code x} and {@code other}, with an answer for x. */
    private interface Step extends BiFunction<Dataset<Row>, Column, Dataset<Row>> {}

    /** Spark finds a column for a later step below the prediction. */
    private static final List<Named<Step>> COLUMNS = List.of(
            step("hidden column", (rows, call) -> rows.withColumn("a", call).select("id", "_metadata.file_name", "a")),
            step("condition on a hidden column", (rows, call) -> rows.withColumn("a", call)
                    .filter("_metadata.file_size > 0")),
            step("order by another column", (rows, call) -> rows.select("id", "x")
                    .select(col("id"), call.as("a"))
                    .orderBy("other")),
            step("condition on another column", (rows, call) -> rows.select("id", "x")
                    .select(col("id"), call.as("a"))
                    .filter("other > 10")),
            step("order after a condition on the answer", (rows, call) -> rows.select("id", "x")
                    .filter(call.getItem(0).gt(2))
                    .orderBy("other")),
            step("condition after a condition on the answer", (rows, call) -> rows.select("id", "x")
                    .filter(call.getItem(0).gt(2))
                    .select("id")
                    .filter("other > 10")));

    /** A limit takes the first rows of an order. */
    private static final List<Named<Step>> FIRST_ROWS = List.of(
            step(
                    "limit after",
                    (rows, call) -> rows.orderBy(DOWN).withColumn("a", call).limit(5)),
            step("limit before", (rows, call) -> rows.orderBy(DOWN).limit(5).withColumn("a", call)),
            step(
                    "offset",
                    (rows, call) ->
                            rows.orderBy(DOWN).offset(3).withColumn("a", call).limit(5)),
            step("column that is not selected", (rows, call) -> rows.orderBy(DOWN)
                    .select("x", "other")
                    .withColumn("a", call)
                    .limit(5)),
            step(
                    "offset after",
                    (rows, call) ->
                            rows.orderBy(DOWN).withColumn("a", call).offset(3).limit(5)),
            step(
                    "offset alone",
                    (rows, call) -> rows.orderBy(DOWN).withColumn("a", call).offset(95)),
            step("answers of two calls after the limit", (rows, call) -> rows.orderBy(DOWN)
                    .limit(5)
                    .withColumn("a", call)
                    .withColumn("x", reverse(col("x")))
                    .withColumn("b", call)),
            step(
                    "order of few",
                    (rows, call) ->
                            rows.orderBy(col("id")).limit(5).orderBy(DOWN).withColumn("a", call)),
            step("answer in a column of its name", (rows, call) -> rows.orderBy(DOWN)
                    .select("x")
                    .withColumn("answer", call)
                    .limit(5)),
            step("two answers", (rows, call) -> rows.orderBy(DOWN)
                    .withColumn("a", call)
                    .withColumn("b", call)
                    .limit(5)),
            step("answers of two calls", (rows, call) -> rows.orderBy(DOWN)
                    .withColumn("a", call)
                    .withColumn("x", reverse(col("x")))
                    .withColumn("b", call)
                    .limit(5)),
            step("condition", (rows, call) -> rows.orderBy(DOWN)
                    .withColumn("a", call)
                    .filter("id % 2 = 0")
                    .limit(5)),
            step("condition on the answer", (rows, call) -> rows.orderBy(DOWN)
                    .withColumn("a", call)
                    .filter(FIRST.gt(2))
                    .limit(5)),
            step("answer of which a part is selected", (rows, call) -> rows.orderBy(DOWN)
                    .withColumn("a", call)
                    .select(FIRST, col("id"))
                    .limit(5)),
            step("order above", (rows, call) -> rows.withColumn("a", call)
                    .select(FIRST, col("id").plus(1).as("next"))
                    .orderBy(col("next").desc())
                    .limit(5)),
            step("order by the answer", (rows, call) -> rows.withColumn("a", call)
                    .orderBy(FIRST, col("id"))
                    .limit(5)));

    @BeforeEach
    void start() {
        LOCAL.registerKnown();
        LOCAL.spark().conf().set("spark.sql.adaptive.enabled", "false"); // which would make few partitions of few rows
        LOCAL.spark().conf().set("spark.sql.shuffle.partitions", "5");
    }

    @AfterEach
    void reset() {
        LOCAL.spark().conf().set("spark.sql.shuffle.partitions", "2");
    }

    private static Named<Step> step(String name, Step step) {
        return Named.of(name, step);
    }

    private static Stream<Arguments> calls(List<Named<Step>> steps) {
        return steps.stream().flatMap(step -> Stream.of("coded", "plain").map(kind -> Arguments.of(kind, step)));
    }

    static Stream<Arguments> columns() {
        return calls(COLUMNS);
    }

    static Stream<Arguments> firstRows() {
        return calls(FIRST_ROWS);
    }

    private static Column call(String kind) {
        Predict predict =
                kind.equals("coded") ? Predict.coded(LOCAL.model(), col("x")) : Predict.plain(LOCAL.model(), col("x"));
        return predict.toColumn().getField("prediction");
    }

    private static Dataset<Row> files() {
        String path = LOCAL.folder().resolve("rows").toString();
        LOCAL.spark()
                .table("t")
                .withColumn("other", col("id").multiply(7).mod(100))
                .write()
                .mode("overwrite")
                .parquet(path);
        return LOCAL.spark().read().parquet(path);
    }

    private static String optimized(Dataset<Row> rows) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .optimizedPlan()
                .toString();
    }

    private static List<String> texts(Dataset<Row> rows) {
        return rows.collectAsList().stream().map(Row::toString).toList();
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("columns")
    void columnsAreFoundBelow(String kind, Step step) {
        Dataset<Row> files = files();
        Dataset<Row> predicted = step.apply(files, call(kind));
        assertThat(texts(predicted))
                .containsExactlyInAnyOrderElementsOf(texts(step.apply(files, call_function("known", col("x")))));
        assertThat(predictions(predicted)).hasSize(1);
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("firstRows")
    void theFirstRowsOfAnOrderComeInThatOrder(String kind, Step step) {
        Dataset<Row> files = files().repartition(4);
        Dataset<Row> predicted = step.apply(files, call(kind));
        assertThat(texts(predicted)).hasSize(5).isEqualTo(texts(step.apply(files, call_function("known", col("x")))));
        assertThat(predictions(predicted)).isNotEmpty();
    }

    @Test
    void sortedRowsThatAreCachedAreTakenFromThere() {
        Dataset<Row> sorted = LOCAL.spark().table("t").orderBy(DOWN).cache();
        try {
            Dataset<Row> predicted = sorted.withColumn("a", call("coded")).limit(5);
            assertThat(predicted.select("id").collectAsList().toString()).isEqualTo("[[99], [98], [97], [96], [95]]");
            assertThat(((org.apache.spark.sql.classic.Dataset<Row>) predicted)
                            .queryExecution()
                            .executedPlan()
                            .toString())
                    .contains("InMemoryTableScan");
        } finally {
            sorted.unpersist(true);
        }
    }

    /** Copies of kept rows, which a self-join has, have columns of other ids. */
    @Test
    void sortedRowsThatAreKeptComeInTheirOrder() {
        Dataset<Row> kept =
                ErasureCoded.persist(LOCAL.spark().table("t").repartition(4).orderBy(DOWN), "rs-2-1");
        try {
            String first = "[[99], [98], [97], [96], [95]]";
            Dataset<Row> predicted = kept.withColumn("a", call("coded")).select("id");
            assertThat(predicted.limit(5).collectAsList()).hasToString(first);
            Dataset<Row> joined = predicted
                    .limit(5)
                    .as("l")
                    .join(predicted.limit(5).as("r"), col("l.id").equalTo(col("r.id")));
            assertThat(joined.select("l.id").orderBy(DOWN).collectAsList()).hasToString(first);
        } finally {
            ErasureCoded.unpersist(kept);
        }
    }

    @Test
    void equalCallsAreOnePredictionOverAColumnThatIsComputed() {
        Dataset<Row> rows = LOCAL.rows(20);
        for (Dataset<Row> query : List.of(
                rows.filter(call("plain").getItem(0).gt(2)).select(col("id"), call("plain")),
                rows.select(col("id"), col("x"), call("plain").as("a"))
                        .filter(call("plain").getItem(0).gt(2)),
                files().withColumnRenamed("x", "y")
                        .withColumnRenamed("y", "x")
                        .filter(call("plain").getItem(0).gt(2))
                        .select(call("plain")))) {
            assertThat(query.collectAsList()).isNotEmpty();
            assertThat(predictions(query)).hasSize(1);
        }
    }

    /** As it does with a plain function: answers that are kept do not change. */
    @Test
    void anEqualCallReadsTheCache() {
        Dataset<Row> rows = files().withColumn("a", call("plain")).cache();
        try {
            for (Dataset<Row> predicted : List.of(
                    rows.filter(call("plain").getItem(0).gt(2)),
                    rows.select("id", "x", "a").filter(call("plain").getItem(0).gt(2)),
                    rows.withColumn("b", call("plain")).filter(FIRST.gt(2)))) {
                assertThat(texts(predicted.select("id", "a")))
                        .isNotEmpty()
                        .containsExactlyInAnyOrderElementsOf(
                                texts(rows.filter(FIRST.gt(2)).select("id", "a")));
                assertThat(optimized(predicted)).contains("InMemoryRelation");
            }
        } finally {
            rows.unpersist(true);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inner", "left", "full", "left_semi"})
    void joins(String type) {
        Dataset<Row> left = files();
        Dataset<Row> right = LOCAL.rows(20).withColumnRenamed("id", "key").withColumnRenamed("x", "y");
        BiFunction<Column, Column, Column> condition = (x, y) -> left.col("id")
                .equalTo(right.col("key").multiply(2))
                .and(x.getItem(0).gt(2))
                .and(y.getItem(1).gt(1));
        Function<Column, Column> call =
                input -> Predict.plain(LOCAL.model(), input).toColumn().getField("prediction");
        Column asked = condition.apply(call.apply(left.col("x")), call.apply(right.col("y")));
        Column known = condition.apply(call_function("known", left.col("x")), call_function("known", right.col("y")));
        Dataset<Row> joined = left.join(right, asked, type);
        List<String> expected = texts(left.join(right, known, type));
        assertThat(texts(joined)).isNotEmpty().containsExactlyInAnyOrderElementsOf(expected);
        assertThat(predictions(joined)).hasSize(2);
        if (!type.equals("left_semi")) {
            assertThat(texts(left.joinWith(right, asked, type).toDF()))
                    .containsExactlyInAnyOrderElementsOf(
                            texts(left.joinWith(right, known, type).toDF()));
        }
        Dataset<Row> cached = left.join(right, asked, type).cache();
        try {
            assertThat(texts(cached.filter("id < 100"))).hasSize((int)
                    left.join(right, known, type).filter("id < 100").count());
            assertThat(optimized(cached.filter("id < 100"))).contains("InMemoryRelation");
        } finally {
            cached.unpersist(true);
        }
    }

    @Test
    void aSampleThatIsCachedIsPredicted() {
        Dataset<Row> sample = LOCAL.spark().table("t").orderBy(rand()).limit(5).cache();
        try {
            List<String> ids = texts(sample.select("id"));
            assertThat(texts(sample.withColumn("a", call("coded")).select("id")))
                    .containsExactlyInAnyOrderElementsOf(ids);
        } finally {
            sample.unpersist(true);
        }
    }

    /** By keys that Spark replaces before it optimizes a query, and with columns of other ids. */
    @Test
    void cachesAreSortedByWhateverTheyWereMadeWith() {
        LOCAL.spark().sql("CACHE TABLE kept AS SELECT * FROM t ORDER BY nvl(id, (SELECT max(id) FROM t)) DESC");
        try {
            for (String query : List.of(
                    "SELECT id, $call FROM kept LIMIT 5", "SELECT id, $call FROM (SELECT * FROM kept LIMIT 5)")) {
                assertThat(texts(LOCAL.sql(query).select("id")))
                        .as(query)
                        .containsExactly("[99]", "[98]", "[97]", "[96]", "[95]");
            }
        } finally {
            LOCAL.spark().sql("UNCACHE TABLE kept");
        }
    }

    @Test
    void aCommonTableExpressionKeepsItsFirstRows() {
        String query = "WITH s AS (SELECT * FROM t ORDER BY id DESC LIMIT 20) SELECT id, $call FROM s";
        assertThat(texts(LOCAL.sql(query + " LIMIT 5").select("id")))
                .containsExactly("[99]", "[98]", "[97]", "[96]", "[95]");
        assertThat(texts(LOCAL.sql(query).select("id"))).startsWith("[99]", "[98]", "[97]");
    }

    private static Dataset<Row> many() {
        return LOCAL.spark()
                .range(0, 4_000, 1, 4)
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x")
                .orderBy(DOWN);
    }

    private static Dataset<Row> answered(Dataset<Row> rows, String... names) {
        Dataset<Row> answered = rows;
        for (String name : names) {
            answered = answered.withColumn("x", reverse(col("x"))).withColumn(name, call("plain"));
        }
        return answered;
    }

    private static void assertPredicts(Dataset<Row> query, int rows, int calls) {
        assertThat(query.collectAsList()).hasSize(rows);
        assertThat(predictions(query)).hasSize(calls).allSatisfy(call -> assertThat(
                        call.metrics().apply("numOutputRows").value())
                .isEqualTo(rows));
    }

    @Test
    void noCallPredictsMoreThanTheFirstRows() {
        assertPredicts(answered(many(), "a", "b", "c").limit(5), 5, 3);
        assertPredicts(answered(many(), "a", "b").limit(1_100), 1_100, 2);
        assertPredicts(answered(many().limit(5), "a", "b"), 5, 2);
        assertPredicts(answered(answered(many(), "a").limit(1_100), "b"), 1_100, 2);
        assertPredicts(answered(many(), "a").filter("id % 2 = 0").limit(1_100), 1_100, 1);
        Dataset<Row> numbered = many().withColumn("random", rand(3)).withColumn("next", monotonically_increasing_id());
        assertPredicts(answered(numbered, "a", "b").limit(5), 5, 2);
        assertPredicts(answered(numbered, "a").orderBy("id").limit(5), 5, 1);
    }

    /** Spark removes their limit, because it knows that there are no more rows. */
    @Test
    void fewRowsComeInTheirOrder() {
        Dataset<Row> few = LOCAL.spark()
                .range(0, 12, 1, 4)
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x")
                .orderBy(DOWN);
        for (Dataset<Row> rows : List.of(
                few.limit(20).withColumn("a", call("coded")),
                few.withColumn("a", call("coded")).limit(20))) {
            assertThat(texts(rows.select("id", "a")))
                    .hasSize(12)
                    .isEqualTo(texts(few.withColumn("a", call_function("known", col("x")))
                            .select("id", "a")));
        }
    }

    @Test
    void samplesAreThoseOfAPlainFunction() {
        Dataset<Row> rows = files().repartition(4).withColumn("random", rand(3));
        Function<Column, Dataset<Row>> sampled =
                call -> rows.withColumn("a", call).sample(0.5, 7);
        Dataset<Row> predicted = sampled.apply(call("coded"));
        List<String> expected = texts(sampled.apply(call_function("known", col("x"))));
        assertThat(texts(predicted)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(LocalSession.metric(predicted, "numOutputRows")).isEqualTo(expected.size());
    }

    @Test
    void noMoreThanTheFirstRowsArePredicted() {
        for (String order : List.of(
                "SELECT id, $call.prediction FROM t ORDER BY id LIMIT 7",
                "SELECT id, $call.prediction FROM (SELECT * FROM t ORDER BY id) LIMIT 7")) {
            Dataset<Row> query = LOCAL.sql(order);
            LocalSession.check(query.collectAsList(), 7);
            assertThat(LocalSession.metric(query, "numOutputRows")).as(order).isEqualTo(7);
        }
    }
}
