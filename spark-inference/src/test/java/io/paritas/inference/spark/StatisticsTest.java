/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.QueryExecution;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark's optimizer is told about predictions. */
class StatisticsTest {
    private static final int ROWS = 20_000;
    private static final int OUTPUTS = 1000;
    private static final long BYTES = (long) ROWS * OUTPUTS * Float.BYTES;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    private Path folder;

    private String call;

    /** Predictions of 4 kB, 80 MB together. */
    @BeforeEach
    void writeModel() {
        ExactModel large = ExactModel.of(3, OUTPUTS, 1);
        call = "coded_predict('" + large.write(folder) + "', x)";
        large.parity(2, 1, Map.of()).write(folder);
        LOCAL.rows(ROWS).createOrReplaceTempView("many");
        LOCAL.spark().conf().unset("spark.sql.cbo.enabled");
    }

    private static QueryExecution planned(String query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) LOCAL.sql(query)).queryExecution();
    }

    private static long bytes(Dataset<Row> query) {
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .optimizedPlan();
        return plan.stats().sizeInBytes().toLong();
    }

    @ParameterizedTest
    @ValueSource(strings = {"id, $call AS answer", "*, $call AS answer", "id, $call.outcome, $call.prediction"})
    void theSizeIsThatOfTheRowsAndTheirPredictions(String columns) {
        Dataset<Row> query = LOCAL.sql("SELECT " + columns.replace("$call", call) + " FROM many");
        assertThat(bytes(query)).isBetween(BYTES / 2, 2 * BYTES);
    }

    @Test
    void narrowPredictionsAreSmall() {
        assertThat(bytes(LOCAL.sql("SELECT id, $call AS answer FROM t"))).isBetween(2000L, 20_000L);
        assertThat(bytes(LOCAL.sql("SELECT id, $call AS answer FROM t WHERE false")))
                .isLessThan(100);
    }

    @Test
    void largePredictionsAreNotBroadcast() {
        LOCAL.sql("SELECT id, " + call + ".prediction AS p FROM many").createOrReplaceTempView("large");
        LOCAL.sql("SELECT id, $call.prediction AS p FROM t").createOrReplaceTempView("small");
        String join = "SELECT a.p, b.p AS q FROM large a JOIN $other b USING (id)";
        assertThat(planned(join.replace("$other", "large")).executedPlan().toString())
                .contains("SortMergeJoin")
                .doesNotContain("Broadcast");
        assertThat(planned(join.replace("$other", "small")).executedPlan().toString())
                .contains("BroadcastHashJoin [id#")
                .contains("Inner, BuildRight");
    }

    @Test
    void statisticsOfTablesAreCarried() {
        LOCAL.spark().conf().set("spark.sql.cbo.enabled", "true");
        try {
            LOCAL.sql("CREATE TABLE analysed USING parquet AS SELECT id, x FROM many");
            LOCAL.sql("ANALYZE TABLE analysed COMPUTE STATISTICS FOR COLUMNS id");
            LogicalPlan plan =
                    planned("SELECT id, " + call + " AS answer FROM analysed").optimizedPlan();
            Statistics stats = LOCAL.spark().withActive(plan::stats);
            assertThat(stats.rowCount().get().toLong()).isEqualTo(ROWS);
            assertThat(stats.sizeInBytes().toLong()).isBetween(BYTES, BYTES + 100L * ROWS);
            ColumnStat id = stats.attributeStats().get(plan.output().apply(0)).get();
            assertThat(id.min().get()).isEqualTo(0L);
            assertThat(id.max().get()).isEqualTo(ROWS - 1L);
            ColumnStat answer =
                    stats.attributeStats().get(plan.output().apply(1)).get();
            assertThat(answer.nullCount().get().toLong()).isZero();
        } finally {
            LOCAL.sql("DROP TABLE IF EXISTS analysed");
        }
    }
}
