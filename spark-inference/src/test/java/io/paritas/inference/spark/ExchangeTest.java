/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.predictions;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.Exchange;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whether rows are exchanged before they are coded, and what EXPLAIN says of it. */
class ExchangeTest {
    private static final int ROWS = 90;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static String even;
    private static String uneven;

    @BeforeAll
    static void write() {
        even = LOCAL.folder().resolve("even").toString();
        LOCAL.rows(ROWS).write().parquet(even);
        uneven = LOCAL.folder().resolve("uneven").toString();
        LOCAL.rows(ROWS)
                .selectExpr("*", "IF(id < 30, repeat(uuid(), 2000), '') AS note")
                .write()
                .parquet(uneven);
    }

    @AfterEach
    void forget() {
        LOCAL.spark().catalog().clearCache();
        LOCAL.spark().conf().unset("spark.sql.files.maxPartitionBytes");
        LOCAL.spark().conf().unset("spark.sql.files.openCostInBytes");
    }

    /** A file in each partition. */
    private static Dataset<Row> files(String path) {
        LOCAL.spark().conf().set("spark.sql.files.maxPartitionBytes", "10m");
        LOCAL.spark().conf().set("spark.sql.files.openCostInBytes", "10m");
        return LOCAL.spark().read().parquet(path).select("id", "x");
    }

    private static Dataset<Row> answers(Dataset<Row> rows, UnaryOperator<Predict> options) {
        return rows.select(
                        col("id"),
                        options.apply(Predict.coded(LOCAL.model(), col("x"))
                                        .option(CodedSettings.EXCHANGE, Exchange.AUTO)
                                        .option(EngineSettings.BATCH_ROWS, 4))
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.prediction", "answer.outcome");
    }

    private static Dataset<Row> answers(Dataset<Row> rows) {
        return answers(rows, call -> call);
    }

    private static String text(Dataset<Row> query) {
        return predictions(query).get(0).toString();
    }

    private static void isExchanged(Dataset<Row> answers, String why, int rows) {
        assertThat(text(answers)).contains(", exchanged: " + why);
        check(answers.collectAsList(), rows);
        assertThat(text(answers)).as("when it has run").contains(", exchanged: " + why);
        assertThat(answers.rdd().toDebugString()).contains("ShuffledRowRDD");
    }

    private static void staysWhereItIs(Dataset<Row> answers, String why, int rows) {
        assertThat(text(answers)).contains(", not exchanged: " + why);
        check(answers.collectAsList(), rows);
        assertThat(text(answers)).as("when it has run").contains(", not exchanged: " + why);
        assertThat(answers.rdd().toDebugString()).doesNotContain("ShuffledRowRDD");
    }

    @Test
    void filesAndCachesAreNot() {
        String why = "rows always come in the same order";
        staysWhereItIs(answers(files(even)), why, ROWS);
        staysWhereItIs(answers(files(even).filter("id < 50")), why, 50);
        staysWhereItIs(answers(files(even).cache()), why, ROWS);
        staysWhereItIs(answers(LOCAL.rows(ROWS)), why, ROWS);
    }

    @Test
    void whatMayComeInAnotherOrderIs() {
        isExchanged(
                answers(files(even).repartition(4)),
                "Exchange may give rows in another order when it runs again",
                ROWS);
        isExchanged(
                answers(files(even).filter("rand(1) + id >= 0")),
                "rand(1) may give another value when it runs again",
                ROWS);
        assertThat(text(answers(files(even)).limit(5)))
                .contains(", exchanged: LocalLimit may give rows in another order when it runs again");
    }

    /** Their tasks would have the whole of a partition, where others have nothing. */
    @Test
    void aLargePartitionIs() {
        Dataset<Row> answers = answers(files(uneven), call -> call.option(CodedSettings.PATIENCE, 1.5));
        check(answers.collectAsList(), ROWS);
        assertThat(text(answers)).contains(", exchanged: partitions differ in size");
        assertThat(answers.rdd().toDebugString()).contains("ShuffledRowRDD");
    }

    @Test
    void fewPartitionsAre() {
        Dataset<Row> one = answers(LOCAL.spark()
                .range(0, 20, 1, 1)
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x"));
        check(one.collectAsList(), 20);
        assertThat(text(one)).contains(", exchanged: there are fewer partitions than k");
    }

    @Test
    void asTheOptionSays() {
        isExchanged(
                answers(files(even), call -> call.option(CodedSettings.EXCHANGE, Exchange.ALWAYS)),
                "as exchange=always says",
                ROWS);
        staysWhereItIs(
                answers(files(even), call -> call.option(CodedSettings.EXCHANGE, Exchange.NEVER)),
                "as exchange=never says",
                ROWS);
        isExchanged(
                answers(files(even), call -> call.option(CodedSettings.SEGMENTS, 9)),
                "for as many tasks as segments says",
                ROWS);
    }

    @Test
    void anUncodedOneSaysNothing() {
        LOCAL.spark().conf().set(CodedSettings.ENABLED.key(), "false");
        assertThat(text(answers(files(even)))).doesNotContain("exchanged");
    }
}
