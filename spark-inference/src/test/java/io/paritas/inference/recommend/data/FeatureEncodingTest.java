/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FeatureEncodingTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final FeatureColumns COLUMNS =
            new FeatureColumns("clicked", List.of("price", "a.ge"), List.of("shop", "city"), Scale.NONE);
    private static final Dataset<Row> TABLE = table(
            RowFactory.create(true, 2.5, "40", 7, "Rome", "x"),
            RowFactory.create(false, null, " 1e1", 8, null, "y"),
            RowFactory.create(true, -3.0, null, 7, "Oslo", "z"),
            RowFactory.create(true, -3.0, null, 7, "Oslo", "z"));

    @TempDir
    private Path folder;

    private static Dataset<Row> table(Row... rows) {
        return SPARK.createDataFrame(
                List.of(rows),
                StructType.fromDDL("clicked BOOLEAN, price DOUBLE, `a.ge` STRING, shop INT, city STRING, note STRING"));
    }

    private String path(String name) {
        return folder.resolve(name).toUri().toString();
    }

    @Test
    void columnsBecomeSamples() {
        FeatureEncoding encoding = FeatureEncoding.hashed(COLUMNS, Tables.of(50, 60));
        Dataset<Row> samples = encoding.samples(TABLE);
        assertThat(Samples.of(samples).drop("categorical").collectAsList())
                .hasToString("[[1.0,ArraySeq(2.5, 40.0)], [0.0,ArraySeq(0.0, 10.0)], [1.0,ArraySeq(-3.0, 0.0)],"
                        + " [1.0,ArraySeq(-3.0, 0.0)]]");
        List<Row> ids = samples.selectExpr("categorical[0]", "categorical[1]").collectAsList();
        assertThat(ids).allSatisfy(row -> {
            assertThat(row.getLong(0)).isBetween(0L, 49L);
            assertThat(row.getLong(1)).isBetween(50L, 109L);
        });
        assertThat(ids.get(0).getLong(0)).isEqualTo(ids.get(2).getLong(0));
        assertThat(ids.get(2)).isEqualTo(ids.get(3));
        assertThat(encoding.features(TABLE.drop("clicked")).columns())
                .containsExactly("price", "a.ge", "shop", "city", "note", "dense", "categorical");
    }

    /** Models would not fit the data any more if it changed. */
    @Test
    void theHashStays() {
        Dataset<Row> samples =
                FeatureEncoding.hashed(COLUMNS, Tables.of(1 << 20, 1 << 20)).samples(TABLE);
        assertThat(samples.select("categorical").collectAsList())
                .as("those of xxhash64(field, category) in SQL")
                .isEqualTo(TABLE.selectExpr("array(pmod(xxhash64(0, string(shop)), 1048576L),"
                                + " pmod(xxhash64(1, city), 1048576L) + 1048576L)")
                        .collectAsList());
        assertThat(samples.selectExpr("categorical[0]").first().getLong(0)).isEqualTo(743006);
    }

    /** A model that is used in another time zone would take other rows, and be wrong without a word. */
    @ParameterizedTest
    @CsvSource({
        "0, timestamp_seconds(id * 3600)",
        "3, timestamp_seconds(id * 3600)",
        "0, timestamp_ntz '2026-01-01' + id * interval '1' hour",
    })
    void theTimeZoneOfTheSessionDoesNotCount(int vocabulary, String at) {
        FeatureColumns columns = new FeatureColumns("clicked", List.of("price"), List.of("at"), Scale.NONE);
        FeatureEncoding encoding = vocabulary == 0
                ? FeatureEncoding.hashed(columns, Tables.of(1 << 20))
                : FeatureEncoding.vocabulary(columns, times("UTC", at), vocabulary, 1);
        assertThat(encoding.samples(times("Asia/Tokyo", at)).collectAsList())
                .isEqualTo(encoding.samples(times("UTC", at)).collectAsList())
                .hasSize(5);
    }

    private static Dataset<Row> times(String zone, String at) {
        SparkSession session = SPARK.newSession();
        session.conf().set("spark.sql.session.timeZone", zone);
        return session.range(5).selectExpr("true AS clicked", "1.5 AS price", at + " AS at");
    }

    /** A small decimal is 1E-7 to a cast without ANSI mode, and 0.0000001 to one with it. */
    @Test
    void theAnsiModeOfTheSessionDoesNotCount() {
        String values = "0, 0.0000001, -0.0000001, 1234567.5, -9999999999.0000001";
        FeatureColumns columns = new FeatureColumns("clicked", List.of("price"), List.of("at", "whole"), Scale.NONE);
        for (boolean ansi : new boolean[] {false, true}) {
            Dataset<Row> table = decimals(ansi, values);
            assertThat(table.select(columns.categorical(table).toArray(Column[]::new))
                            .collectAsList())
                    .as("ANSI mode %s", ansi)
                    .extracting(row -> row.getString(0) + " " + row.getString(1))
                    .containsExactly(
                            "0.0000000 0",
                            "0.0000001 0",
                            "-0.0000001 0",
                            "1234567.5000000 1234568",
                            "-9999999999.0000001 -9999999999",
                            "null null");
        }
    }

    private static Dataset<Row> decimals(boolean ansi, String values) {
        SparkSession session = SPARK.newSession();
        session.conf().set("spark.sql.ansi.enabled", ansi);
        return session.sql(
                "SELECT true AS clicked, 1.5 AS price, CAST(v AS DECIMAL(20, 7)) AS at, CAST(v AS DECIMAL(38, 0)) AS whole"
                        + " FROM (SELECT explode(array(" + values + ", null)) AS v)");
    }

    /** The texts of equal values are others, so a model would take other rows, and be wrong without a word. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCategoryOfAnotherTypeIsRefused(boolean words) throws IOException {
        FeatureColumns columns = new FeatureColumns("clicked", List.of("price"), List.of("shop", "at"), Scale.NONE);
        Dataset<Row> table = typed("id", "timestamp_seconds(id)");
        FeatureEncoding encoding = words
                ? FeatureEncoding.vocabulary(columns, table, 3, 1)
                : FeatureEncoding.hashed(columns, Tables.of(50, 60)).ofTypes(table);
        encoding.write(SPARK, path("types"));
        FeatureEncoding read = FeatureEncoding.read(SPARK, path("types")).orElseThrow();
        assertThat(folder.resolve("types/encoding.json")).content().contains("\"types\":[\"BIGINT\",\"TIMESTAMP\"]");
        Dataset<Row> smaller = typed("int(id)", "timestamp_seconds(id)");
        assertThat(read.features(smaller).select("categorical").collectAsList())
                .isEqualTo(encoding.samples(table).select("categorical").collectAsList());
        refuses(
                read,
                typed("double(id)", "timestamp_seconds(id)"),
                "'shop' must have the type of the training, BIGINT, got DOUBLE");
        refuses(
                read,
                typed("string(id)", "timestamp_seconds(id)"),
                "'shop' must have the type of the training, BIGINT, got STRING");
        refuses(
                read,
                typed("id", "timestamp_ntz '2026-01-01 00:00:00'"),
                "'at' must have the type of the training, TIMESTAMP, got TIMESTAMP_NTZ");
    }

    private static void refuses(FeatureEncoding encoding, Dataset<Row> table, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoding.features(table))
                .withMessage("column " + reason + ": cast it");
    }

    private static Dataset<Row> typed(String shop, String at) {
        return SPARK.range(5).selectExpr("true AS clicked", "1.5 AS price", shop + " AS shop", at + " AS at");
    }

    @Test
    void countsBecomeLogarithms() {
        FeatureColumns columns = new FeatureColumns("clicked", List.of("price"), List.of("shop"), Scale.LOG);
        assertThat(FeatureEncoding.hashed(columns, Tables.of(5))
                        .samples(TABLE)
                        .selectExpr("dense[0]")
                        .collectAsList())
                .extracting(row -> row.getFloat(0))
                .containsExactly((float) Math.log(3.5), 0f, 0f, 0f);
    }

    @Test
    void frequentCategoriesHaveRowsOfTheirOwn() throws IOException {
        FeatureEncoding encoding = FeatureEncoding.vocabulary(COLUMNS, TABLE, 2, 1);
        assertThat(encoding.tables()).isEqualTo(Tables.of(3, 3));
        Dataset<Row> later = TABLE.union(table(RowFactory.create(false, 1.0, "1", 9, "Rome", "new")));
        assertThat(ids(encoding, later))
                .as("shop 7, 8; Oslo, then the null before Rome")
                .hasToString("[[1,3], [2,5], [1,4], [1,4], [0,3]]");
        encoding.write(SPARK, path("encoding"));
        FeatureEncoding read = FeatureEncoding.read(SPARK, path("encoding")).orElseThrow();
        assertThat(read.columns()).isEqualTo(COLUMNS);
        assertThat(read.tables()).isEqualTo(encoding.tables());
        assertThat(ids(read, later)).isEqualTo(ids(encoding, later));
        assertThat(read.features(later).columns()).endsWith("note", "dense", "categorical");
        assertThat(FeatureEncoding.vocabulary(COLUMNS, TABLE, 10, 2).tables()).isEqualTo(Tables.of(2, 2));
        assertThat(FeatureEncoding.read(SPARK, path("nothing"))).isEmpty();
    }

    private static List<Row> ids(FeatureEncoding encoding, Dataset<Row> table) {
        return encoding.samples(table)
                .selectExpr("categorical[0]", "categorical[1]")
                .collectAsList();
    }

    @Test
    void whatIsWrittenIsChecked() throws IOException {
        FeatureEncoding.hashed(COLUMNS, Tables.of(5, 6)).write(SPARK, path("hashed"));
        Path json = folder.resolve("hashed/encoding.json");
        assertThat(json)
                .hasContent("{\"format\":1,\"label\":\"clicked\",\"dense\":[\"price\",\"a.ge\"],\"scale\":\"none\","
                        + "\"categorical\":[\"shop\",\"city\"],\"tables\":[5,6],\"vocabulary\":false}");
        Files.writeString(json, Files.readString(json).replace("\"format\":1", "\"format\":2"));
        Files.delete(folder.resolve("hashed/.encoding.json.crc"));
        assertThatIOException()
                .isThrownBy(() -> FeatureEncoding.read(SPARK, path("hashed")))
                .withMessageEndingWith("encoding.json: format must be 1, got 2: use a newer Paritas");
    }

    /** All categories would be unknown, and predictions wrong. */
    @Test
    void aVocabularyWithoutItsFileIsNotRead() throws IOException {
        FeatureEncoding.vocabulary(COLUMNS, TABLE, 2, 1).write(SPARK, path("copied"));
        try (var files = Files.newDirectoryStream(folder.resolve("copied/vocabulary"), "*part-*")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        assertThatIOException()
                .isThrownBy(() -> FeatureEncoding.read(SPARK, path("copied")))
                .withMessageEndingWith(
                        "encoding.json: its vocabulary must be that of tables with [3, 3] rows, got [1, 1]: copy the"
                                + " whole folder of the model");
    }

    @Test
    void columnsThatDoNotFitAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> FeatureEncoding.hashed(COLUMNS, Tables.of(5, 6)).samples(TABLE.drop("city")))
                .withMessage(
                        "the table must have the column 'city', it has clicked, price, a.ge, shop, note: name its columns"
                                + " (label, dense, categorical)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FeatureEncoding.hashed(COLUMNS, Tables.of(5, 6))
                        .samples(TABLE.selectExpr("clicked", "array(price) price", "`a.ge`", "shop", "city")))
                .withMessage("column 'price' must be a number, got ARRAY<DOUBLE>: cast it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FeatureEncoding.hashed(COLUMNS, Tables.of(5)))
                .withMessage("each categorical column must have an embedding table, got 1 tables for 2 columns");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FeatureColumns("a", List.of("b"), List.of("b"), Scale.LOG))
                .withMessage("a column must have one role, got 'b' twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FeatureEncoding.hashed(COLUMNS, Tables.of(5, 6))
                        .features(TABLE.withColumnRenamed("note", "dense")))
                .withMessage(
                        "a table must not have the columns dense and categorical, which the encoding adds, got 'dense':"
                                + " rename it");
    }

    @Test
    void aStringThatIsNoNumberFails() {
        Dataset<Row> samples = FeatureEncoding.hashed(COLUMNS, Tables.of(5, 6))
                .samples(table(RowFactory.create(true, 1.0, "old", 1, "Rome", "x")));
        assertThatThrownBy(samples::collectAsList)
                .hasStackTraceContaining("column 'a.ge' must be a number in each row, got 'old': correct such rows or"
                        + " filter them out");
    }
}
