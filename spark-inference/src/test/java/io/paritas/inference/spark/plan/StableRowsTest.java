/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.paritas.inference.spark.LocalSession;
import io.paritas.spark.ec.ErasureCoded;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every node that proves something, and what proves nothing. */
class StableRowsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    /** A change of rows {@code id, x}, with a name. */
    record Change(String name, UnaryOperator<Dataset<Row>> change) {
        Dataset<Row> of(Dataset<Row> rows) {
            return change.apply(rows);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void write() {
        for (String format : List.of("parquet", "json", "orc")) {
            LOCAL.rows(60).write().format(format).save(path(format));
        }
    }

    @AfterEach
    void forget() {
        LOCAL.spark().catalog().clearCache();
        for (String key : List.of(
                "spark.sql.files.ignoreCorruptFiles",
                "spark.sql.files.ignoreMissingFiles",
                "spark.sql.codegen.wholeStage",
                "spark.sql.parquet.enableVectorizedReader")) {
            LOCAL.spark().conf().unset(key);
        }
    }

    private static String path(String format) {
        return LOCAL.folder().resolve("rows." + format).toString();
    }

    private static Dataset<Row> files() {
        return LOCAL.spark().read().parquet(path("parquet"));
    }

    private static Optional<String> doubt(Dataset<Row> rows) {
        SparkPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .executedPlan();
        return StableRows.doubt(plan);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "json", "orc"})
    void filesAreRead(String format) {
        assertThat(doubt(LOCAL.spark().read().format(format).load(path(format))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filesAreReadAsRowsOrColumnsByGeneratedCodeOrWithout(boolean on) {
        LOCAL.spark().conf().set("spark.sql.codegen.wholeStage", on);
        LOCAL.spark().conf().set("spark.sql.parquet.enableVectorizedReader", on);
        assertThat(doubt(files().filter("id % 3 = 1").selectExpr("id + 1 AS id", "x[0] AS x")))
                .isEmpty();
    }

    @Test
    void rowsAreMade() {
        assertThat(doubt(LOCAL.rows(10))).isEmpty();
        assertThat(doubt(LOCAL.spark().sql("VALUES (1), (2)").toDF())).isEmpty();
    }

    static Stream<Change> same() {
        return Stream.of(
                new Change("projection", rows -> rows.selectExpr("id", "transform(x, v -> v * 2) AS x")),
                new Change("condition", rows -> rows.filter("id > 3 AND x[0] < 4")),
                new Change("union", rows -> rows.union(LOCAL.rows(3))),
                new Change("function", rows -> rows.withColumn("x", twice().apply(col("id")))),
                new Change("scalar subquery", rows -> rows.filter("id < (SELECT count(*) FROM t)")),
                new Change("cache", Dataset::cache),
                new Change("filled cache", StableRowsTest::filled),
                new Change(
                        "cache of a cache",
                        rows -> rows.cache().filter("id > 3").cache()),
                new Change("kept rows", StableRowsTest::kept),
                new Change("condition on a cache", rows -> rows.cache().filter("id > 3")));
    }

    @ParameterizedTest
    @MethodSource
    void same(Change change) {
        Dataset<Row> rows = change.of(files());
        assertThat(doubt(rows)).isEmpty();
        rows.collectAsList();
        assertThat(doubt(rows)).as("when it has run").isEmpty();
    }

    private static org.apache.spark.sql.expressions.UserDefinedFunction twice() {
        return udf((UDF1<Long, Long>) id -> 2 * id, DataTypes.LongType);
    }

    private static Dataset<Row> filled(Dataset<Row> rows) {
        rows.cache().count();
        return rows;
    }

    private static Dataset<Row> kept(Dataset<Row> rows) {
        return ErasureCoded.persist(rows, "rs-2-1");
    }

    static Stream<Arguments> different() {
        return Stream.of(
                other("limit", "Limit", rows -> rows.limit(7)),
                other("offset", "Limit", rows -> rows.offset(7)),
                other("sample", "Sample", rows -> rows.sample(0.5, 7)),
                other("round robin", "Exchange", rows -> rows.repartition(3)),
                other("exchange", "Exchange", rows -> rows.repartition(3, col("id"))),
                other("ranges", "Exchange", rows -> rows.repartitionByRange(3, col("id"))),
                other("sort", "Sort", rows -> rows.sort("id")),
                other("sort in partitions", "Sort", rows -> rows.sortWithinPartitions("id")),
                other("fewer partitions", "Coalesce", rows -> rows.coalesce(1)),
                other("aggregate", "HashAggregate", rows -> rows.groupBy("id").count()),
                other("distinct", "HashAggregate", rows -> rows.select("id").distinct()),
                other("window", "Window", rows -> rows.selectExpr("id", "row_number() OVER (ORDER BY id) AS x")),
                other("broadcast join", "BroadcastHashJoin", rows -> rows.join(LOCAL.rows(5), "id")),
                other(
                        "cross join",
                        "Join",
                        rows -> rows.crossJoin(LOCAL.spark().range(2).toDF("other"))),
                other("generator", "Generate", rows -> rows.selectExpr("id", "explode(x) AS x")),
                other("typed function", "SerializeFromObject", StableRowsTest::typed),
                other("rows of an RDD", "Scan ExistingRDD", StableRowsTest::rdd),
                other("prediction", "CodedPredict", StableRowsTest::coded),
                other("rand", "rand(7)", rows -> rows.withColumn("x", expr("rand(7)"))),
                other("rand in a condition", "rand(7)", rows -> rows.filter("rand(7) < 0.5")),
                other("uuid", "uuid(", rows -> rows.withColumn("x", expr("uuid()"))),
                other(
                        "id",
                        "monotonically_increasing_id()",
                        rows -> rows.withColumn("x", expr("monotonically_increasing_id()"))),
                other("partition", "SPARK_PARTITION_ID()", rows -> rows.withColumn("x", expr("spark_partition_id()"))),
                other("file", "input_file_name()", rows -> rows.withColumn("x", expr("input_file_name()"))),
                other(
                        "function",
                        "UDF",
                        rows -> rows.withColumn(
                                "x", twice().asNondeterministic().apply(col("id")))),
                other("registered function", "unsure(", StableRowsTest::registered),
                other("union", "Exchange", rows -> rows.union(rows.repartition(2))));
    }

    private static Arguments other(String name, String doubt, UnaryOperator<Dataset<Row>> change) {
        return arguments(new Change(name, change), doubt);
    }

    private static Dataset<Row> typed(Dataset<Row> rows) {
        return rows.mapPartitions((MapPartitionsFunction<Row, Row>) each -> each, Encoders.row(rows.schema()));
    }

    private static Dataset<Row> rdd(Dataset<Row> rows) {
        return LOCAL.spark().createDataFrame(rows.javaRDD(), rows.schema());
    }

    private static Dataset<Row> coded(Dataset<Row> rows) {
        String model = LOCAL.folder().resolve("model.onnx").toString();
        return rows.select(col("id"), call_function("coded_predict", lit(model), col("x")));
    }

    private static Dataset<Row> registered(Dataset<Row> rows) {
        LOCAL.spark().udf().register("unsure", twice().asNondeterministic());
        return rows.withColumn("x", expr("unsure(id)"));
    }

    @ParameterizedTest
    @MethodSource
    void different(Change change, String doubt) {
        assertThat(doubt(change.of(files())))
                .hasValueSatisfying(text -> assertThat(text).contains(doubt).endsWith("when it runs again"));
    }

    /** A block that is lost is computed again. */
    @ParameterizedTest
    @MethodSource("different")
    void cachesAreAsTheirPlans(Change change, String doubt) {
        Dataset<Row> rows = change.of(files());
        filled(rows);
        assertThat(doubt(rows)).hasValueSatisfying(text -> assertThat(text).contains(doubt));
    }

    @Test
    void keptRowsAreAsTheirPlans() {
        Dataset<Row> kept = kept(files().repartition(2));
        assertThat(doubt(kept)).hasValue("Exchange may give rows in another order when it runs again");
        ErasureCoded.unpersist(kept);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ignoreCorruptFiles", "ignoreMissingFiles"})
    void filesThatAreLeftOutWhenTheyCannotBeRead(String option) {
        Dataset<Row> rows = LOCAL.spark().read().options(Map.of(option, "true")).parquet(path("parquet"));
        assertThat(doubt(rows)).hasValue("files that cannot be read are left out");
        LOCAL.spark().conf().set("spark.sql.files." + option, "true");
        assertThat(doubt(files())).hasValue("files that cannot be read are left out");
    }

    @Test
    void filesOfAnotherInterface() {
        LOCAL.spark().conf().set("spark.sql.sources.useV1SourceList", "");
        try {
            assertThat(doubt(files()))
                    .hasValueSatisfying(text -> assertThat(text).contains("BatchScan"));
        } finally {
            LOCAL.spark().conf().unset("spark.sql.sources.useV1SourceList");
        }
    }
}
