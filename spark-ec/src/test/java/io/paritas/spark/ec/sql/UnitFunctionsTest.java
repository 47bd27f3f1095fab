/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import static io.paritas.spark.ec.sql.LocalSession.literal;
import static io.paritas.spark.ec.sql.LocalSession.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

class UnitFunctionsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final int MIB = 1 << 20;

    /** The units as the core makes them. */
    static byte[][] units(String name, byte[] data) {
        ErasureCode code = CodeName.parse(name).erasureCode();
        int k = code.parameters().k();
        int size = (data.length + k - 1) / k;
        byte[] padded = Arrays.copyOf(data, k * size);
        byte[][] all = new byte[code.parameters().n()][size];
        for (int unit = 0; unit < k; unit++) {
            System.arraycopy(padded, unit * size, all[unit], 0, size);
        }
        code.encode(Arrays.copyOf(all, k), Arrays.copyOfRange(all, k, all.length));
        return all;
    }

    private static byte[][] arrays(Row row, int column) {
        return row.<byte[]>getList(column).toArray(byte[][]::new);
    }

    /** A view {@code u} of an id and an array of units. */
    private static void view(List<byte[][]> rows) {
        List<Row> list = new ArrayList<>();
        for (byte[][] units : rows) {
            list.add(RowFactory.create(
                    (long) list.size(),
                    units == null
                            ? null
                            : CollectionConverters.asScala(Arrays.asList(units)).toSeq()));
        }
        LOCAL.spark()
                .createDataFrame(list, StructType.fromDDL("id long, units array<binary>"))
                .repartition(2)
                .createOrReplaceTempView("u");
    }

    private static byte[][] without(byte[][] units, Erasures missing) {
        byte[][] left = units.clone();
        missing.stream().forEach(unit -> left[unit] = null);
        return left;
    }

    /** All sets of units of a code. */
    private static List<Erasures> patterns(int n) {
        return IntStream.range(0, 1 << n)
                .mapToObj(set -> Erasures.of(IntStream.range(0, n)
                        .filter(unit -> (set >> unit & 1) == 1)
                        .toArray()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rs-6-3", "lrc-12-2-2", "paritas-6-3", "6-3", "xor-2", "rs-1-2", "isal-4-2"})
    void encodesAsTheCore(String code) {
        int k = CodeName.parse(code).k();
        List<byte[]> values = Stream.of(0, 1, k - 1, k, k + 1, 1000, MIB, MIB + 1)
                .map(length -> random(length, length))
                .toList();
        LOCAL.rows(values.toArray(byte[][]::new));
        List<Row> rows = LOCAL.sql("SELECT id, ec_encode(data, '" + code + "') AS units FROM t")
                .collectAsList();
        assertThat(rows).hasSameSizeAs(values);
        for (Row row : rows) {
            assertThat(arrays(row, 1)).isDeepEqualTo(units(code, values.get((int) row.getLong(0))));
        }
        LOCAL.sql("SELECT ec_decode(ec_encode(data, '" + code + "'), '" + code + "', length(data)) <=> data FROM t")
                .collectAsList()
                .forEach(row -> assertThat(row.getBoolean(0)).isTrue());
    }

    @ParameterizedTest
    @CsvSource({
        "rs-4-2, 1000",
        "rs-4-2, 0",
        "rs-4-2, 1",
        "rs-4-2, 3",
        "paritas-4-2, 997",
        "xor-2, 5",
        "rs-1-2, 7",
        "lrc-6-2-2, 601"
    })
    void everyPatternOfErasures(String name, int length) {
        ErasureCode code = CodeName.parse(name).erasureCode();
        byte[] data = random(length, 7);
        byte[][] units = units(name, data);
        List<Erasures> patterns = patterns(code.parameters().n());
        view(patterns.stream().map(missing -> without(units, missing)).toList());
        LOCAL.set("spark.paritas.ec.onError", "null");
        List<Row> rows = LOCAL.sql(("SELECT id, ec_decode(units, '$', " + length
                                + "), ec_repair(units, '$'), ec_verify(units, '$') FROM u")
                        .replace("$", name))
                .collectAsList();
        assertThat(rows).hasSize(patterns.size());
        for (Row row : rows) {
            Erasures missing = patterns.get((int) row.getLong(0));
            if (code.canReconstruct(missing)) {
                assertThat(row.<byte[]>getAs(1)).as("%s", missing).isEqualTo(data);
                assertThat(arrays(row, 2)).as("%s", missing).isDeepEqualTo(units);
            } else {
                assertThat(row.isNullAt(2)).as("%s", missing).isTrue();
                assertThat(row.isNullAt(1) || Arrays.equals(data, row.<byte[]>getAs(1)))
                        .as("%s", missing)
                        .isTrue();
            }
            assertThat(row.getBoolean(3)).as("%s", missing).isTrue();
        }
    }

    @Test
    void verifyFindsAFlippedByte() {
        byte[][] units = units("rs-4-2", random(1000, 1));
        List<byte[][]> damaged = new ArrayList<>();
        for (int unit = 0; unit < units.length; unit++) {
            byte[][] copy = units.clone();
            copy[unit] = units[unit].clone();
            copy[unit][unit * 40] ^= 1;
            copy[(unit + 1) % units.length] = null;
            damaged.add(copy);
        }
        byte[][] shorter = units.clone();
        shorter[2] = Arrays.copyOf(units[2], 100);
        damaged.add(shorter);
        damaged.add(units);
        view(damaged);
        assertThat(LOCAL.sql("SELECT id FROM u WHERE ec_verify(units, 'rs-4-2')")
                        .collectAsList())
                .containsExactly(RowFactory.create((long) damaged.size() - 1));
    }

    @Test
    void nullGivesNull() {
        LOCAL.rows(null, new byte[] {1});
        assertThat(LOCAL.sql("SELECT id FROM t WHERE ec_encode(data, 'rs-6-3') IS NULL")
                        .collectAsList())
                .containsExactly(RowFactory.create(0L));
        assertThat(LOCAL.value("SELECT ec_encode(NULL, 'rs-6-3')")).isNull();
        assertThat(LOCAL.value("SELECT ec_decode(NULL, 'rs-6-3', 3)")).isNull();
        assertThat(LOCAL.value("SELECT ec_decode(ec_encode(X'01', 'xor-2'), 'xor-2', CAST(NULL AS INT))"))
                .isNull();
        assertThat(LOCAL.value("SELECT ec_verify(NULL, 'rs-6-3')")).isNull();
        assertThat(LOCAL.value("SELECT ec_repair(NULL, 'rs-6-3')")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"true, FALLBACK", "true, CODEGEN_ONLY", "false, CODEGEN_ONLY", "false, NO_CODEGEN"})
    void compiledAndInterpreted(String wholeStage, String factory) {
        LOCAL.set("spark.sql.codegen.wholeStage", wholeStage);
        LOCAL.set("spark.sql.codegen.factoryMode", factory);
        LOCAL.rows(random(100, 1), null, random(0, 2), random(77, 3));
        Dataset<Row> query = LOCAL.sql("""
                SELECT id FROM (
                  SELECT id, data, transform(u, (x, i) -> IF(i IN (1, 4), NULL, x)) AS units
                  FROM (SELECT id, data, ec_encode(data, 'rs-4-2') AS u FROM t) DISTRIBUTE BY id)
                WHERE ec_decode(units, 'rs-4-2', length(data)) = data
                  AND ec_verify(units, 'rs-4-2') AND ec_repair(units, 'rs-4-2') = ec_encode(data, 'rs-4-2')
                ORDER BY id""");
        assertThat(query.collectAsList()).extracting(row -> row.getLong(0)).containsExactly(0L, 2L, 3L);
    }

    /** The functions do not keep an operator from being compiled. */
    @Test
    void wholeStagesAreCompiled() {
        LOCAL.rows(random(10, 1));
        Dataset<Row> query = LOCAL.sql("SELECT ec_verify(ec_encode(data, 'rs-4-2'), 'rs-4-2') AS fits FROM t");
        assertThat(query.collectAsList()).containsExactly(RowFactory.create(true));
        assertThat(query.queryExecution().executedPlan().toString())
                .containsPattern(
                        "\\*\\(\\d\\) Project \\[ec_verify\\(ec_encode\\(data#\\d+, rs-4-2\\), rs-4-2\\) AS fits");
    }

    /** A row is computed only where the query asks for it. */
    @Test
    void guardedRows() {
        view(List.of(units("rs-4-2", random(9, 1)), units("xor-2", random(9, 2))));
        assertThat(LOCAL.sql("""
                        SELECT CASE size(units) WHEN 6 THEN ec_decode(units, 'rs-4-2', 9)
                                                WHEN 3 THEN ec_decode(units, 'xor-2', 9) END
                        FROM u WHERE size(units) = 3 OR ec_verify(units, 'rs-4-2') ORDER BY id""").collectAsList())
                .extracting(row -> row.<byte[]>getAs(0))
                .containsExactly(random(9, 1), random(9, 2));
        assertThat(LOCAL.value(
                        "SELECT IF(id = 0, 'whole', string(ec_decode(array(), 'xor-2', 1))) FROM u WHERE id = 0"))
                .isEqualTo("whole");
    }

    @Test
    void constantsAreFolded() {
        byte[] data = random(9, 3);
        assertThat(LOCAL.value("SELECT ec_decode(ec_repair(ec_encode(" + literal(data)
                        + ", concat('rs-', '4-2')), 'rs-4-2'), 'rs-4-2', 9)"))
                .isEqualTo(data);
    }

    @Test
    void fromJava() {
        byte[] data = random(50, 4);
        LOCAL.rows(data);
        Row row = LOCAL.spark()
                .table("t")
                .select(functions
                        .call_function("ec_encode", functions.col("data"), functions.lit("rs-4-2"))
                        .as("units"))
                .select(functions.call_function(
                        "ec_decode", functions.col("units"), functions.lit("rs-4-2"), functions.lit(50L)))
                .head();
        assertThat(row.<byte[]>getAs(0)).isEqualTo(data);
    }

    @Test
    void aTextIsEncodedAsItsBytes() {
        assertThat(LOCAL.value("SELECT string(ec_decode(ec_encode(binary('text'), 'xor-2'), 'xor-2', 4))"))
                .isEqualTo("text");
    }

    @Test
    void inAView() {
        LOCAL.rows(random(60, 1), random(61, 2));
        LOCAL.sql(
                "CREATE OR REPLACE TEMP VIEW coded AS SELECT id, length(data) AS length, ec_encode(data, '6-3') AS units"
                        + " FROM t");
        assertThat(LOCAL.sql("SELECT id FROM coded JOIN t USING (id) WHERE ec_decode(units, '6-3', length) = data")
                        .collectAsList())
                .hasSize(2);
    }

    @Test
    void describesItself() {
        for (Signature signature : Signature.values()) {
            String text = LOCAL.sql("DESCRIBE FUNCTION EXTENDED " + signature.function()).collectAsList().stream()
                    .map(row -> row.getString(0))
                    .reduce("", (all, line) -> all + line + "\n");
            assertThat(text)
                    .contains("Function: " + signature.function(), "Usage: " + signature.function() + "(")
                    .contains("Arguments:", "* code - the code's name, a constant text", "Examples:", "> SELECT ");
        }
    }
}
