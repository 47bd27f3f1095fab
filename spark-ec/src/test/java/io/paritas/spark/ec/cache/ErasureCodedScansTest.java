/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.util.List;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.math.BigInt;

class ErasureCodedScansTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static Dataset<Row> rows;
    private static Dataset<Row> kept;

    @BeforeAll
    static void keep() {
        rows = SESSION.spark().range(0, 1000, 1, 5).selectExpr("id", "id % 7 AS seven", "cast(id AS string) AS text");
        kept = ErasureCoded.persist(rows, "rs-2-1");
    }

    @AfterAll
    static void drop() {
        ErasureCoded.unpersist(kept);
    }

    @AfterEach
    void forget() {
        SESSION.spark().conf().unset("spark.sql.adaptive.enabled");
        SESSION.spark().conf().unset("spark.sql.inMemoryColumnarStorage.enableVectorizedReader");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void plansShowWhatBefellTheUnits(boolean adaptive) {
        SESSION.spark().conf().set("spark.sql.adaptive.enabled", adaptive);
        Dataset<Row> query = kept.filter("id >= 990").groupBy("seven").count();
        assertThat(query.collectAsList()).hasSize(7);
        String plan = plan(query).toString();
        assertThat(plan).contains("ErasureCoded rs-2-1").contains("InMemoryTableScan [id#");
        assertThat(plan).as("columns that nobody asked for").doesNotContain("InMemoryTableScan [id#0L, seven#1L, text");
        if (adaptive) {
            assertThat(plan).contains("TableCacheQueryStage");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsColumnsAndRows(boolean vectorized) {
        SESSION.spark().conf().set("spark.sql.inMemoryColumnarStorage.enableVectorizedReader", vectorized);
        assertThat(sorted(kept)).isEqualTo(sorted(rows));
        assertThat(sorted(kept.select("seven", "id").filter("seven = 3").toDF("b", "id")))
                .isEqualTo(sorted(rows.select("seven", "id").filter("seven = 3").toDF("b", "id")));
    }

    @Test
    void plansSayWhatStoringCosts() {
        assertThat(plan(kept.filter("id > 3")).toString())
                .containsPattern("ErasureCoded rs-2-1, 1\\.[5-9]\\d times the size");
        Dataset<Row> one = ErasureCoded.persist(rows.coalesce(1), "rs-2-1");
        assertThat(plan(one.filter("id > 3")).toString())
                .contains("ErasureCoded rs-2-1, 2.00 times the size of the rows");
        ErasureCoded.unpersist(one);
    }

    @Test
    void namesTheMetrics() {
        SparkPlan node = new ErasureCodedExec(
                plan(rows),
                "rs-2-1",
                ErasureCodedDatasets.store(kept).orElseThrow().rdd().metrics());
        node.metrics().apply("partitionsDecoded").add(3);
        node.resetMetrics();
        assertThat(node.metrics().apply("partitionsDecoded").value())
                .as("belongs to other plans as well")
                .isEqualTo(3);
        assertThat(node.makeCopy(new Object[] {node.children().head(), "rs-2-1", node.productElement(2)}))
                .isEqualTo(node);
        assertThat(node.canonicalized()).isEqualTo(node.clone().canonicalized());
    }

    @Test
    void otherCachedTablesAreSparksOwn() {
        Dataset<Row> cached = rows.select("id").cache();
        assertThat(cached.count()).isEqualTo(1000);
        assertThat(plan(cached.filter("id > 3")).toString())
                .contains("InMemoryTableScan")
                .doesNotContain("ErasureCoded");
        cached.unpersist(true);
    }

    /** Rows that a job has read of dropped ones are no number of rows of the relation. */
    @Test
    void droppedRowsHaveNoCounts() {
        Dataset<Row> other = ErasureCoded.persist(rows, "rs-2-1");
        ErasureCoded.unpersist(other);
        other.foreachPartition((ForeachPartitionFunction<Row>) part -> {});

        BigInt size = other.groupBy("seven")
                .count()
                .queryExecution()
                .optimizedPlan()
                .stats()
                .sizeInBytes();
        assertThat(size.toLong()).isGreaterThan(1_000);
    }

    private static SparkPlan plan(Dataset<?> query) {
        QueryExecution execution = ((org.apache.spark.sql.classic.Dataset<?>) query).queryExecution();
        return execution.executedPlan();
    }

    private static List<Row> sorted(Dataset<Row> unsorted) {
        return unsorted.orderBy("id").collectAsList();
    }
}
