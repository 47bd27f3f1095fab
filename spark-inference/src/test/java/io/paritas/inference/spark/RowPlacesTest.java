/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Expressions that depend on the file, the partition or the place of a row, and random ones, have the values beside a
 * prediction that they have without one.
 */
class RowPlacesTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final String FILES = "input_file_name(), input_file_block_start(), input_file_block_length()";
    private static final String PLACES = "spark_partition_id(), monotonically_increasing_id()";
    private static final String RANDOM = "rand(7), randn(8), uniform(0, 1000, 9)";

    /** The first column is unique. */
    private static final List<String> QUERIES = List.of(
            "SELECT id, " + FILES + ", $answer FROM files",
            "SELECT id, " + PLACES + ", $answer FROM files",
            "SELECT id, " + RANDOM + ", rand(7), shuffle(array(id, 1, 2, 3), 4), $answer FROM files",
            "SELECT id, length(input_file_name()) + rand(3) * 2, $answer FROM files WHERE id % 3 = 0",
            "SELECT id, if(id % 2 = 0, rand(5), 0), $answer FROM files",
            "SELECT id, answer, " + FILES + ", " + PLACES + ", " + RANDOM
                    + " FROM (SELECT *, $answer AS answer FROM files)",
            "SELECT id, answer, " + PLACES + ", " + RANDOM
                    + " FROM (SELECT *, $answer AS answer FROM files) WHERE id > 40",
            "SELECT id, " + FILES + ", spark_partition_id() FROM files WHERE $answer[0] > 3",
            "SELECT id, " + FILES + " FROM (SELECT *, $answer AS answer FROM files) WHERE answer[0] > 3 AND id > 40",
            "SELECT id, if($answer[0] > 3, input_file_name(), string(spark_partition_id())) FROM files",
            "SELECT id, answer FROM (SELECT *, $answer AS answer FROM files) WHERE rand(11) < 0.5 AND answer[0] > 3",
            "SELECT id, answer FROM (SELECT *, $answer AS answer FROM files)"
                    + " WHERE answer[0] > 3 OR input_file_name() LIKE '%part-00001%'",
            "SELECT id, rand(12), $answer, $second FROM files WHERE rand(11) < 0.5",
            "SELECT id, " + FILES + ", $answer, $second FROM files WHERE $answer[0] > 0 OR $second[1] <= 0",
            "SELECT input_file_name() AS file, sum($answer[0]) FROM files GROUP BY file",
            "SELECT spark_partition_id() AS part, max($answer[0]) FROM files GROUP BY part ORDER BY max($answer[0])",
            "SELECT id, row_number() OVER (PARTITION BY input_file_name() ORDER BY id), $answer FROM files",
            "SELECT id, answer FROM (SELECT *, $answer AS answer FROM files) TABLESAMPLE (30 PERCENT) REPEATABLE (14)");

    private static String files;

    /** Files of different lengths, several of them in a partition. */
    @BeforeAll
    static void write() {
        files = LOCAL.folder().resolve("files").toString();
        LOCAL.rows(200)
                .repartitionByRange(7, new org.apache.spark.sql.Column("id"))
                .write()
                .parquet(files);
        LOCAL.rows(100).filter("id > 90").write().mode("append").parquet(files);
        LOCAL.registerKnown();
    }

    @BeforeEach
    void read() {
        LOCAL.spark().conf().set("spark.sql.files.openCostInBytes", "2k");
        LOCAL.spark().conf().set("spark.sql.files.maxPartitionBytes", "10k");
        LOCAL.spark().read().parquet(files).createOrReplaceTempView("files");
    }

    static Stream<Arguments> queries() {
        return QUERIES.stream()
                .flatMap(query -> Stream.of("predict", "coded_predict").map(function -> Arguments.of(query, function)));
    }

    private static Dataset<Row> query(String query, String answer, String second) {
        return LOCAL.sql(query.replace("$answer", answer).replace("$second", second));
    }

    private static List<String> texts(Dataset<Row> query) {
        return query.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void areThoseWithoutAPrediction(String query, String function) {
        Dataset<Row> predicted = query(
                query,
                function + "($model, x, map('batchRows', '8')).prediction",
                function + "($model, x[1], x[0], x[2]).prediction");
        List<String> expected = texts(query(query, "known(x)", "known(array(x[1], x[0], x[2]))"));
        assertThat(expected).isNotEmpty();
        assertThat(texts(predicted)).isEqualTo(expected);
        assertThat(predictions(predicted)).isNotEmpty();
    }

    /** What is moved below a prediction keeps no condition from the scan. */
    @Test
    void leaveConditionsToTheScan() {
        Dataset<Row> query = query(
                "SELECT id, input_file_name() FROM (SELECT *, $answer AS answer FROM files)"
                        + " WHERE answer[0] > 3 AND id > 195",
                "predict($model, x).prediction",
                "");
        query.collectAsList();
        assertThat(predictions(query).get(0).toString())
                .contains("PushedFilters: [IsNotNull(id), GreaterThan(id,195)]");
    }
}
