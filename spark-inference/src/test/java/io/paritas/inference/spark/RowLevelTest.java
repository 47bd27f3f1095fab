/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.expected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** DELETE, UPDATE and MERGE with calls in their conditions. */
class RowLevelTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @BeforeEach
    void create() {
        LOCAL.spark().conf().set("spark.sql.catalog.memory", MemoryCatalog.class.getName());
        LOCAL.sql("DROP TABLE IF EXISTS memory.u");
        LOCAL.sql("CREATE TABLE memory.u (id BIGINT, x ARRAY<FLOAT>, p FLOAT)");
        LOCAL.sql("INSERT INTO memory.u SELECT id, x, 0f FROM t");
    }

    private static boolean isLarge(long id) {
        return expected(id).get(0) > 5;
    }

    /** Checks which rows there are, and that a part of them has been set to 1. */
    private static void check(LongPredicate left, LongPredicate set) {
        List<Row> rows = LOCAL.sql("SELECT id, p FROM memory.u ORDER BY id").collectAsList();
        assertThat(rows)
                .extracting(row -> row.getLong(0))
                .containsExactlyElementsOf(
                        LongStream.range(0, ROWS).filter(left).boxed().toList());
        assertThat(rows).allSatisfy(row -> assertThat(row.getFloat(1)).isEqualTo(set.test(row.getLong(0)) ? 1 : 0));
    }

    /** Checks for which rows Spark has asked the table to read their files. */
    private static void checkWanted(LongPredicate wanted) {
        assertThat(MemoryCatalog.wanted("u"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, ROWS).filter(wanted).boxed().toList());
    }

    /** Spark 4.0 makes a DELETE and an UPDATE another plan after all rules of ours: their calls are refused. */
    private static void assumeRewritten() {
        assumeTrue(
                LOCAL.spark().version().compareTo("4.1") >= 0, "on Spark 4.0, calls in DELETE and UPDATE are refused");
    }

    @Test
    void delete() {
        assumeRewritten();
        LOCAL.sql("DELETE FROM memory.u WHERE $call.prediction[0] > 5");
        check(id -> !isLarge(id), id -> false);
        checkWanted(RowLevelTest::isLarge);
    }

    @Test
    void deleteByCallsAndColumns() {
        assumeRewritten();
        LOCAL.sql("DELETE FROM memory.u WHERE id < 50 AND predict($model, x).prediction[0] > 5");
        check(id -> id >= 50 || !isLarge(id), id -> false);
        checkWanted(id -> id < 50 && isLarge(id));
        LOCAL.sql("DELETE FROM memory.u WHERE id IN (SELECT id FROM t WHERE $call.prediction[0] > 5)");
        check(id -> !isLarge(id), id -> false);
        checkWanted(id -> id >= 50 && isLarge(id));
    }

    @Test
    void update() {
        assumeRewritten();
        LOCAL.sql("UPDATE memory.u SET p = 1 WHERE $call.prediction[0] > 5 AND id > 9");
        check(id -> true, id -> isLarge(id) && id > 9);
        checkWanted(id -> isLarge(id) && id > 9);
        LOCAL.sql("UPDATE memory.u SET p = least(0f, $call.prediction[0] * 0) WHERE p = 1");
        check(id -> true, id -> false);
        LOCAL.sql("UPDATE memory.u SET p = 1 WHERE $call.prediction[0] > 5 AND id IN (SELECT id FROM t WHERE id > 9)");
        check(id -> true, id -> isLarge(id) && id > 9);
    }

    @Test
    void merge() {
        LOCAL.sql("MERGE INTO memory.u a USING t b ON a.id = b.id AND predict($model, b.x).prediction[0] > 5"
                + " WHEN MATCHED THEN UPDATE SET p = 1f");
        check(id -> true, RowLevelTest::isLarge);
        checkWanted(RowLevelTest::isLarge);
        LOCAL.sql("MERGE INTO memory.u a USING t b ON a.id = b.id AND predict($model, a.x).prediction[0] > 5"
                + " WHEN MATCHED THEN DELETE");
        check(id -> !isLarge(id), id -> false);
    }
}
