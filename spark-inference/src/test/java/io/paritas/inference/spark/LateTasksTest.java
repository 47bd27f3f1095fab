/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.Exchange;
import io.paritas.spark.job.QueryException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that sleep for a day, which nobody waits for; executors that die are among the integration tests. */
class LateTasksTest {
    private static final int MANY = 20;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @BeforeEach
    void patience() {
        LOCAL.spark().conf().unset(CodedSettings.PATIENCE.key());
    }

    private static Dataset<Row> answers(Dataset<Row> rows, int k, int r, String exchange) {
        Path parity = LOCAL.folder().resolve(k + "-" + r);
        LocalSession.MODEL.parity(k, r, Map.of()).write(parity);
        return rows.select(
                        col("id"),
                        Predict.coded(LOCAL.model(), col("x"))
                                .option(CodedSettings.PARITY, parity.toString())
                                .option("exchange", exchange)
                                .option(EngineSettings.BATCH_ROWS, 4)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.prediction", "answer.outcome");
    }

    /** First attempts of these partitions sleep for a day. */
    private static Dataset<Row> late(Dataset<Row> rows, Set<Integer> partitions) {
        return rows.mapPartitions(
                (MapPartitionsFunction<Row, Row>) each -> {
                    if (partitions.contains(TaskContext.getPartitionId())
                            && TaskContext.get().attemptNumber() == 0) {
                        TimeUnit.DAYS.sleep(1);
                    }
                    return each;
                },
                Encoders.row(rows.schema()));
    }

    private static long reconstructed(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.getString(2).equals("reconstructed"))
                .count();
    }

    /**
     * Runs a query, which tells whether rows were reconstructed, until some were. Where Spark's events come late, as on a busy machine,
     * tasks believe that others wait for their slots: nobody stays to compute parity, and a late task is begun again.
     */
    private static boolean reconstructs(int runs, BooleanSupplier query) {
        return IntStream.range(0, runs).anyMatch(run -> query.getAsBoolean());
    }

    @ParameterizedTest
    @CsvSource({"2, 1, always", "3, 2, always", "2, 1, never", "3, 2, never", "2, 2, never"})
    void asManyAsThereAreParitiesAreReconstructed(int k, int r, String exchange) {
        Set<Integer> late = new HashSet<>(r == 1 ? Set.of(1) : Set.of(0, 1));
        Dataset<Row> query = late(answers(LOCAL.rows(103), k, r, exchange), late);
        assertThat(reconstructs(MANY, () -> {
                    List<Row> rows = query.collectAsList();
                    LocalSession.check(rows, 103);
                    assertThat(reconstructed(rows)).isLessThanOrEqualTo(70);
                    return reconstructed(rows) > 0;
                }))
                .isTrue();
    }

    /** Partitions of 60, 3, none and 40 rows: coding goes by their positions. */
    @Test
    void partitionsThatStayWhereTheyAreNeedNotBeEquallyLong() {
        Dataset<Row> rows = LOCAL.spark()
                .range(0, 180, 1, 3)
                .filter("id < 60 or id between 117 and 119")
                .union(LOCAL.spark().range(63, 103, 1, 1))
                .selectExpr("if(id between 117 and 119, id - 57, id) AS id")
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
        for (int segment = 0; segment < 6; segment++) {
            List<Row> answered = late(answers(rows, 2, 1, "never"), new HashSet<>(Set.of(segment)))
                    .collectAsList();
            LocalSession.check(answered, 103);
        }
    }

    /** The segments of one call are the partitions of the other: a late task is late for both, and one of them may save the other. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void callsOverAnswersAreReconstructedWhereTheyAre(int late) {
        Dataset<Row> first = LOCAL.rows(103).withColumn("first", inPlace(col("x")));
        Dataset<Row> second = first.withColumn("y", expr("array(first.prediction[0], x[1], first.prediction[1])"))
                .withColumn("second", inPlace(col("y")));
        assertThat(second.rdd().getNumPartitions()).isEqualTo(6);
        Dataset<Row> both =
                second.select("id", "first.prediction", "second.outcome", "second.prediction", "first.outcome");
        int runs = late == 2 ? 1 : MANY;
        assertThat(reconstructs(runs, () -> {
                    List<Row> rows = late(both, Set.of(late)).collectAsList();
                    LocalSession.check(rows, 103);
                    assertThat(rows).allSatisfy(row -> {
                        List<Float> below = row.getList(1);
                        float[] x = {below.get(0), row.getLong(0) % 3, below.get(1)};
                        float[] expected = LocalSession.MODEL.predict(x);
                        assertThat(row.<Float>getList(3)).containsExactly(expected[0], expected[1]);
                    });
                    return rows.stream().anyMatch(row -> List.of(row.getString(2), row.getString(4))
                            .contains("reconstructed"));
                }))
                .isEqualTo(late != 2);
    }

    private static Column inPlace(Column input) {
        Path parity = LOCAL.folder().resolve("stacked");
        LocalSession.MODEL.parity(2, 1, Map.of()).write(parity);
        return Predict.coded(LOCAL.model(), input)
                .option(CodedSettings.PARITY, parity.toString())
                .option(CodedSettings.EXCHANGE, Exchange.NEVER)
                .option(EngineSettings.BATCH_ROWS, 4)
                .toColumn();
    }

    /**
     * A query with a limit starts one task, and then more: rounds that end within a stripe. Of six segments the second round has those
     * up to the given number of rows.
     */
    @ParameterizedTest
    @CsvSource({"always, 52, 3", "always, 66, 3", "always, 66, 4", "never, 70, 1", "never, 80, 3"})
    void tasksOfLaterRoundsAreReconstructed(String exchange, int wanted, int late) {
        assertThat(reconstructs(MANY, () -> {
                    Dataset<Row> query = late(answers(LOCAL.rows(103), 2, 1, exchange), new HashSet<>(Set.of(late)))
                            .limit(wanted);
                    List<Row> rows = query.collectAsList();
                    assertThat(rows).hasSize(wanted).doesNotHaveDuplicates().allSatisfy(row -> assertThat(
                                    row.<Float>getList(1))
                            .isEqualTo(LocalSession.expected(row.getLong(0))));
                    return LocalSession.metric(query, "segmentsReconstructed") == 1;
                }))
                .isTrue();
    }

    @Test
    void rowsFromAnExchangeCannotStayWhereTheyAre() {
        Dataset<Row> rows = answers(LOCAL.rows(10).repartition(2), 2, 1, "never");
        assertThatThrownBy(rows::collectAsList)
                .isInstanceOf(QueryException.class)
                .hasMessage("spark.paritas.coded.exchange can be never only where rows always come in the"
                        + " same order, as from files; these come from an exchange: leave it at always");
    }
}
