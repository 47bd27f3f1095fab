/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Late tasks in all that a query can do with rows before and after they are predicted. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class PredictionsInQueriesIT {
    private static final int ROWS = 400;
    private static final int SEGMENT = 1;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    static Path folder;

    private SparkSession session;
    private KnownAnswers known;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        known = KnownAnswers.exact(folder, 2, 1);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session.catalog().clearCache();
        Leftovers.awaitNone(session);
    }

    /** The order of rows that come from an exchange differs from one attempt to the next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answersShuffledRows(boolean adaptive) {
        session.conf().set("spark.sql.adaptive.enabled", adaptive);
        for (int seed = 0; seed < 4; seed++) {
            Dataset<Row> shuffled = rows().repartition(2 + seed, col("id"));

            assertThat(late(shuffled, seed)).as("seed %s", seed).isNotEmpty();
        }
        assertThat(late(rows().repartition(5), 5)).isNotEmpty();
        assertThat(late(rows().groupBy("id", "x").count().select("id", "x"), 6)).isNotNull();
    }

    @Test
    void answersRowsWhoseMapOutputIsLost() throws Exception {
        Dataset<Row> shuffled = rows().repartition(4);

        List<Row> answers = known.of(shuffled, Faults.at(2, Fault.KILL)).collectAsList();

        known.check(answers, ROWS);
        session = SPARK.session(StragglersIT.CODED);
    }

    @Test
    void answersSkewedAndEmptyPartitions() {
        Dataset<Row> skewed = KnownAnswers.withInput(session.range(0, ROWS, 1, 1)
                .toDF()
                .union(session.range(0, 0, 1, 3).toDF())
                .union(session.range(ROWS, ROWS + 3, 1, 2).toDF()));

        List<Row> answers = known.of(skewed, late(0)).collectAsList();

        assertThat(known.check(answers, ROWS + 3)).isNotEmpty();
        assertThat(known.of(KnownAnswers.rows(session, 0, 4)).collectAsList()).isEmpty();
    }

    @Test
    void writesEachRowOnce() {
        for (Fault fault : List.of(Fault.SLEEP, Fault.THROW)) {
            Path target = folder.resolve("written-" + fault);
            known.of(rows(), new Faults(Map.of(SEGMENT, fault), 3))
                    .write()
                    .mode(SaveMode.ErrorIfExists)
                    .parquet(target.toString());

            known.check(session.read().parquet(target.toString()).collectAsList(), ROWS);
        }
    }

    /** The operator runs for the bounds of the ranges, and again for the rows: the second time its blocks are there. */
    @Test
    void sortsByThePrediction(@TempDir Path marks) {
        List<Row> answers = known.of(rows(), Faults.at(SEGMENT, Fault.SLEEP).once(marks))
                .orderBy(col("prediction").getItem(0), col("id"))
                .collectAsList();

        known.check(answers, ROWS);
        assertThat(answers).extracting(row -> row.<Float>getList(1).get(0)).isSorted();
    }

    @Test
    void answersLimitsUnionsJoinsAndAggregates() {
        Dataset<Row> answers = known.of(rows(), Faults.at(SEGMENT, Fault.SLEEP));

        assertThat(answers.limit(250).collectAsList()).hasSize(250).doesNotHaveDuplicates();
        assertThat(answers.takeAsList(3)).hasSize(3);
        assertThat(answers.union(answers).collectAsList()).hasSize(2 * ROWS);
        assertThat(answers.as("a").join(answers.as("b"), "id").count()).isEqualTo(ROWS);
        assertThat(answers.groupBy("id").count().filter("count != 1").count()).isZero();
    }

    @Test
    void keepsWhatIsCached() {
        Dataset<Row> cached = known.of(rows(), late(0)).cache();

        List<Row> first = cached.collectAsList();
        List<Row> second = cached.collectAsList();
        cached.unpersist(true);

        assertThat(known.check(first, ROWS)).isNotEmpty();
        assertThat(second).containsExactlyInAnyOrderElementsOf(first);
    }

    private Dataset<Row> rows() {
        return KnownAnswers.rows(session, ROWS, 4);
    }

    private List<Long> late(Dataset<Row> rows, int seed) {
        return known.check(known.of(rows, late(new Random(seed).nextInt(3))).collectAsList(), ROWS);
    }

    private static Faults late(int row) {
        return Faults.untilReconstructed(Map.of(SEGMENT, Fault.SLEEP), row);
    }
}
