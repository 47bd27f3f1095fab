/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import static io.paritas.spark.ec.sql.LocalSession.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StripesTest {
    /** As the documentation has it. */
    private static final String RECOVERED = """
        SELECT inline(ec_unstripe(stripe, rows, '$code')) FROM (
          SELECT any_value(stripe) AS stripe, collect_list(struct(id, data)) AS rows
          FROM (SELECT stripe, explode(stripe.ids) AS id FROM stripes) LEFT JOIN $left USING (id)
          GROUP BY stripe.ids)\
        """;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    /** Rows of lengths 0 to 39; every 11th is null. */
    private static byte[][] data(int rows) {
        return IntStream.range(0, rows)
                .mapToObj(i -> i % 11 == 10 ? null : random(i * 7 % 40, i))
                .toArray(byte[][]::new);
    }

    private static void stripe(String code, String groups) {
        List<Row> stripes = LOCAL.sql(
                        "SELECT explode(ec_stripe(id, data, '" + code + "')) AS stripe FROM t GROUP BY " + groups)
                .collectAsList();
        LOCAL.spark()
                .createDataFrame(stripes, new StructType().add("stripe", StripeTypes.stripe(DataTypes.LongType)))
                .createOrReplaceTempView("stripes");
    }

    private static Map<Long, byte[]> byId(Dataset<Row> rows) {
        Map<Long, byte[]> byId = new TreeMap<>();
        rows.collectAsList().forEach(row -> assertThat(byId.put(row.getLong(0), row.getAs(1)))
                .isNull());
        return byId;
    }

    private static void checkRecovered(byte[][] data, String code, String left) {
        Map<Long, byte[]> rows = byId(LOCAL.sql(RECOVERED.replace("$code", code).replace("$left", left)));
        assertThat(rows.keySet())
                .containsExactlyElementsOf(LongStream.range(0, data.length)
                        .filter(id -> data[(int) id] != null)
                        .boxed()
                        .toList());
        rows.forEach((id, row) -> assertThat(row).as("row %s", id).isEqualTo(data[id.intValue()]));
    }

    @ParameterizedTest
    @CsvSource({
        "rs-4-2, id % 3",
        "rs-6-3, id % 2",
        "xor-2, id % 5",
        "lrc-6-2-2, id % 1",
        "rs-200-2, id % 2",
        "rs-1-1, id % 1"
    })
    void stripesHoldEveryRowOnce(String code, String groups) {
        byte[][] data = data(100);
        LOCAL.rows(data);
        stripe(code, groups);
        CodeName name = CodeName.parse(code);
        List<Row> stripes = LOCAL.sql("SELECT stripe.* FROM stripes").collectAsList();
        assertThat(stripes.stream().flatMap(stripe -> stripe.<Long>getList(0).stream()))
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 100)
                        .filter(id -> data[(int) id] != null)
                        .boxed()
                        .toList());
        for (Row stripe : stripes) {
            List<byte[]> rows = stripe.<Long>getList(0).stream()
                    .map(id -> data[id.intValue()])
                    .toList();
            assertThat(stripe.<Integer>getList(1))
                    .isEqualTo(rows.stream().map(row -> row.length).toList());
            int size = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
            byte[][] units = new byte[name.k()][size];
            for (int i = 0; i < rows.size(); i++) {
                units[i] = Arrays.copyOf(rows.get(i), size);
            }
            byte[][] parity = new byte[name.n() - name.k()][size];
            name.erasureCode().encode(units, parity);
            assertThat(stripe.<byte[]>getList(2).toArray(byte[][]::new)).isDeepEqualTo(parity);
        }
    }

    /** As of a join that doubles rows: nobody could tell which of them is lost. */
    @Test
    void equalIdsInAStripeAreRefused() {
        LOCAL.rows(data(4));
        assertThatThrownBy(() -> LOCAL.sql("SELECT ec_stripe(id % 3, data, 'rs-4-2') FROM t")
                        .collectAsList())
                .hasStackTraceContaining("the rows of a group must have different ids for ec_stripe, got 0 twice: make"
                        + " the id unique, or remove duplicates");
        assertThat(LOCAL.sql("SELECT ec_stripe(id % 3, data, 'rs-4-2') FROM t GROUP BY id")
                        .count())
                .isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"X'CAFE', 0xCAFE", "string('a'), a", "DATE'2026-01-02', 2026-01-02", "1.50, 1.50"})
    void idsAreNamedAsPeopleReadThem(String id, String text) {
        LOCAL.rows(data(2));
        assertThatThrownBy(() -> LOCAL.sql("SELECT ec_stripe(" + id + ", data, 'rs-4-2') FROM t")
                        .collectAsList())
                .hasStackTraceContaining("for ec_stripe, got " + text + " twice");
    }

    @ParameterizedTest
    @CsvSource({"rs-4-2, id % 1", "rs-6-3, id % 2", "xor-2, id % 3", "lrc-6-2-2, id % 2"})
    void everyLostRowIsReconstructed(String code, String groups) {
        byte[][] data = data(20);
        LOCAL.rows(data);
        stripe(code, groups);
        List<Row> rows = LOCAL.sql("""
            SELECT lost, inline(ec_unstripe(stripe, rows, '$code')) FROM (
              SELECT lost, any_value(stripe) AS stripe, collect_list(struct(id, IF(id = lost, NULL, data))) AS rows
              FROM (SELECT t.id AS lost, stripe, explode(stripe.ids) AS id FROM stripes, t) JOIN t USING (id)
              GROUP BY lost, stripe.ids)\
            """.replace("$code", code)).collectAsList();
        assertThat(rows).hasSize(20 * 19);
        for (Row row : rows) {
            assertThat(row.<byte[]>getAs(2)).as("%s", row).isEqualTo(data[(int) row.getLong(1)]);
        }
    }

    /** r rows, or fewer rows and some parity, of each stripe. */
    @Test
    void severalLostRowsAreReconstructed() {
        byte[][] data = data(60);
        LOCAL.rows(data);
        stripe("rs-6-3", "id % 2");
        String lost = LOCAL.sql("SELECT slice(stripe.ids, 1, 3) FROM stripes").collectAsList().stream()
                .flatMap(row -> row.<Long>getList(0).stream())
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW left AS SELECT * FROM t WHERE id NOT IN (" + lost + ")");
        checkRecovered(data, "rs-6-3", "left");
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW fewer AS SELECT struct(stripe.ids, stripe.lengths,"
                        + " transform(stripe.parity, (p, i) -> IF(i = 1, NULL, p))) AS stripe FROM stripes")
                .count();
        String degraded = RECOVERED.replace("$code", "rs-6-3").replace("FROM stripes", "FROM fewer");
        assertThat(byId(LOCAL.sql(degraded.replace("$left", "t")))).hasSize(55);
        assertThatThrownBy(() -> LOCAL.sql(degraded.replace("$left", "left")).collectAsList())
                .hasStackTraceContaining(
                        "ec_unstripe cannot compute a row: a (6,3) code reconstructs at most 3 missing units, 4 are"
                                + " missing: [0, 1, 2, 7]");
        LOCAL.set("spark.paritas.ec.onError", "null");
        assertThat(LOCAL.sql(degraded.replace("$left", "left")).collectAsList()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "1000000"})
    void aggregatedWithAndWithoutSorting(String threshold) {
        LOCAL.set("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", threshold);
        byte[][] data = data(100);
        LOCAL.rows(data);
        stripe("rs-4-2", "id % 7");
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW left AS SELECT * FROM t WHERE id % 23 <> 5");
        checkRecovered(data, "rs-4-2", "left");
    }

    @ParameterizedTest
    @CsvSource({"true, FALLBACK", "false, CODEGEN_ONLY", "false, NO_CODEGEN"})
    void compiledAndInterpreted(String wholeStage, String factory) {
        LOCAL.set("spark.sql.codegen.wholeStage", wholeStage);
        LOCAL.set("spark.sql.codegen.factoryMode", factory);
        byte[][] data = data(30);
        LOCAL.rows(data);
        stripe("rs-6-3", "id % 3");
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW left AS SELECT * FROM t WHERE id % 9 <> 5");
        checkRecovered(data, "rs-6-3", "left");
    }

    /** Ids of any type that can be compared, and stripes as files keep them. */
    @ParameterizedTest
    @ValueSource(
            strings = {"string(id)", "int(id)", "struct(id, 'x' AS x)", "array(id)", "decimal(id)", "binary(string(id))"
            })
    void idsOfOtherTypes(String id) {
        LOCAL.rows(data(10));
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW typed AS SELECT " + id + " AS id, data FROM t");
        String folder = "target/stripes-" + Integer.toHexString(id.hashCode());
        LOCAL.sql("SELECT explode(ec_stripe(id, data, 'rs-6-3')) AS stripe FROM typed")
                .write()
                .mode("overwrite")
                .parquet(folder);
        LOCAL.spark().read().parquet(folder).createOrReplaceTempView("stripes");
        List<Row> rows = LOCAL.sql("SELECT count(*), count_if(r.data = typed.data) FROM ("
                        + RECOVERED
                                .replace("$code", "rs-6-3")
                                .replace("$left", "(SELECT * FROM typed WHERE length(data) % 2 = 0)")
                        + ") r JOIN typed USING (id)")
                .collectAsList();
        assertThat(rows).containsExactly(RowFactory.create(10L, 10L));
    }

    @Test
    void noRowsHaveNoStripes() {
        LOCAL.rows(null, null);
        assertThat(LOCAL.sql("SELECT ec_stripe(id, data, 'rs-6-3') FROM t")
                        .head()
                        .getList(0))
                .isEmpty();
        assertThat(LOCAL.sql("SELECT ec_stripe(id, data, 'rs-6-3') FROM t WHERE id > 5")
                        .head()
                        .getList(0))
                .isEmpty();
        assertThat(LOCAL.sql("SELECT ec_stripe(NULL, X'01', 'rs-6-3') FROM t")
                        .head()
                        .getList(0))
                .isEmpty();
    }

    /** A filter, and another aggregate of distinct values, for which Spark aggregates twice. */
    @Test
    void besideOtherAggregates() {
        LOCAL.rows(data(10));
        Row row = LOCAL.sql("SELECT sort_array(flatten(ec_stripe(id, data, 'rs-4-2') FILTER (WHERE id < 6).ids)),"
                        + " count(DISTINCT length(data)), count(DISTINCT id) FROM t")
                .head();
        assertThat(row.<Long>getList(0)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(row.getLong(2)).isEqualTo(10);
    }

    @Test
    void inAWindow() {
        LOCAL.rows(random(3, 1), random(3, 2), random(3, 3));
        assertThat(LOCAL.sql("SELECT flatten(ec_stripe(id, data, 'xor-2') OVER (ORDER BY id).ids) FROM t ORDER BY id")
                        .collectAsList())
                .extracting(row -> row.<Long>getList(0))
                .containsExactly(List.of(0L), List.of(0L, 1L), List.of(0L, 1L, 2L));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        array(1L, 2L), array(3, 1), array(X'010203') | struct(1L, X'0102') | a row must be as it was when its stripe was made, 3 bytes, got 2 bytes for row 1: leave it out to reconstruct it
        array(1L, 2L), array(3, 1), array(X'010203') | struct(2L, X'01'), struct(2L, X'01') | a row must be given once, got row 2 twice
        array(1L, 2L), array(3, 1), array(X'0102') | struct(2L, X'01') | the parity must be as long as the longest row, 3 bytes, got 2 for unit 0: make a damaged unit NULL
        array(1L, 2L, 3L), array(3, 1, 1), array(X'010203') | struct(2L, X'01') | a stripe of xor-2 must have 1 to 2 ids, as many lengths, and 1 units of parity, NULL where one is missing, got 3, 3 and 1
        array(1L, 2L), array(3), array(X'010203') | struct(2L, X'01') | got 2, 1 and 1
        array(1L, 2L), array(3, 1), array(X'010203', X'010203') | struct(2L, X'01') | got 2, 2 and 2
        CAST(NULL AS ARRAY<BIGINT>), array(3, 1), array(X'010203') | struct(2L, X'01') | a stripe must have ids, lengths and parity, got NULL for one of them
        array(1L, NULL), array(3, 1), array(X'010203') | struct(1L, X'010203') | a stripe must have an id and a length of 0 or more for each row, got NULL and 1 for row 1
        array(1L, 2L), array(3, CAST(NULL AS INT)), array(X'010203') | struct(1L, X'010203') | got 2 and NULL for row 1
        array(1L, 2L), array(3, -1), array(X'010203') | struct(1L, X'010203') | got 2 and -1 for row 1
        array(1L, 2L), array(-1, -2), array(X'') | CAST(NULL AS STRUCT<id: BIGINT, data: BINARY>) | got 1 and -1 for row 0
        array(1L, 2L), array(3, 1), array(X'010203') | struct(3L, X'01') | a (2,1) code reconstructs at most 1 missing units, 2 are missing: [0, 1]
        array(1L, 2L), array(3, 2147483647), array(X'010203') | struct(1L, X'010203') | the parity must be as long as the longest row, 2147483647 bytes, got 3 for unit 0: make a damaged unit NULL
        array(1L, 2L), array(3, 2147483647), array(CAST(NULL AS BINARY)) | struct(1L, X'010203') | a (2,1) code reconstructs at most 1 missing units, 2 are missing: [1, 2]
        """)
    void stripesThatCannotBeComputed(String stripe, String rows, String message) {
        String query = "SELECT ec_unstripe(struct(" + stripe + "), array(" + rows + "), 'xor-2')";
        assertThatThrownBy(() -> LOCAL.value(query))
                .hasStackTraceContaining("ec_unstripe cannot compute a row: ")
                .hasStackTraceContaining(message);
        LOCAL.set("spark.paritas.ec.onError", "null");
        assertThat(LOCAL.value(query)).isNull();
    }
}
