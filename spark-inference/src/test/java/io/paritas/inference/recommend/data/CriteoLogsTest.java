/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.CriteoLogs.Malformed;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CriteoLogsTest {
    /** As they are in Criteo's files. */
    private static final String FULL =
            "0\t1\t1\t5\t0\t1382\t4\t15\t2\t181\t1\t2\t-2\t2\t68fd1e64\t80e26c9b\tfb936136\t7b4723c4"
                    + "\t25c83c98\t7e0ccccf\tde7995b8\t1f89b562\ta73ee510\ta8cd5504\tb2cb9c98\t37c9c164\t2824a5f6\t1adce6ef"
                    + "\t8ba8b39a\t891b62e7\te5ba7672\tf54016b9\t21ddcdc9\tb1252a9d\t07b5194c\t68fd1e64\t3a171ecb\tc5c50484"
                    + "\te8b83407\t9727dd16";

    private static final String EMPTY = "1" + "\t".repeat(39);
    private static final String SHORT = FULL.substring(0, FULL.lastIndexOf('\t'));

    @TempDir
    private Path folder;

    @Test
    void numbersAreLogarithmsAndValuesAreRowsOfTheirTables() {
        Tables tables = Tables.equal(26, 1000);
        Sample sample = new CriteoLine(tables).parse(FULL);
        assertThat(sample.label()).isZero();
        assertThat(sample.dense()[0]).isEqualTo((float) Math.log(2));
        assertThat(sample.dense()[3]).isZero();
        assertThat(sample.dense()[4]).isEqualTo((float) Math.log(1383));
        assertThat(sample.dense()[11]).as("of -2").isZero();
        for (int i = 0; i < 26; i++) {
            assertThat(tables.table(sample.categorical()[i])).isEqualTo(i);
        }
        assertThat(sample.categorical()[0] % 1000)
                .as("equal values of two fields")
                .isNotEqualTo(sample.categorical()[21] % 1000);
        Sample empty = new CriteoLine(tables).parse(EMPTY);
        assertThat(empty.label()).isEqualTo(1);
        assertThat(empty.dense()).containsOnly(0);
        assertThat(tables.table(empty.categorical()[25])).isEqualTo(25);
    }

    /** Models would not fit the data any more if it changed. */
    @Test
    void theHashStays() {
        assertThat(new CriteoLine(Tables.of(1 << 20)).parse(FULL).categorical()).startsWith(42265, 641740, 757711);
        assertThat(new CriteoLine(Tables.of(1 << 20)).parse(EMPTY).categorical())
                .startsWith(177422, 717342, 623014);
    }

    @Test
    void valuesSpreadOverTheTable() {
        CriteoLine parser = new CriteoLine(Tables.of(100));
        int[] counts = new int[100];
        for (int value = 0; value < 20_000; value++) {
            String line = EMPTY.substring(0, EMPTY.length() - 1) + "\t" + Integer.toHexString(value);
            counts[(int) parser.parse(line).categorical()[25]]++;
        }
        assertThat(Arrays.stream(counts)).allSatisfy(count -> assertThat(count).isBetween(140, 260));
    }

    private Dataset<Row> read(Malformed malformed, String... lines) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("day_0.gz")))) {
            out.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return CriteoLogs.read(LocalSpark.session(), Tables.of(50), malformed, folder.toString());
    }

    @Test
    void filesBecomeSamples() throws IOException {
        Dataset<Row> samples = read(Malformed.FAIL, FULL, EMPTY);
        assertThat(samples.schema().simpleString())
                .isEqualTo("struct<label:float,dense:array<float>,categorical:array<bigint>>");
        assertThat(Samples.of(samples).select("label").collectAsList().stream().map(row -> row.getFloat(0)))
                .containsExactly(0f, 1f);
        assertThat(samples.selectExpr("size(dense)", "size(categorical)").first())
                .hasToString("[13,26]");
    }

    @Test
    void malformedLinesAreLeftOutAndShown() throws IOException {
        String[] lines = {
            SHORT,
            FULL,
            "2" + FULL.substring(1),
            FULL.replace("\t1382", "\t13.5"),
            "",
            EMPTY,
            FULL.replace("\t25c8", "\t25x8")
        };
        assertThat(read(Malformed.DROP, lines).count()).isEqualTo(2);
        List<Row> malformed =
                CriteoLogs.malformed(LocalSpark.session(), folder.toString()).collectAsList();
        assertThat(malformed.stream().map(row -> row.getString(1)))
                .containsExactly(
                        "it must have 40 fields, got 39",
                        "its label must be 0 or 1, got '2'",
                        "its field I5 must be a whole number, got '13.5'",
                        "it must have 40 fields, got 1",
                        "its field C5 must be a hexadecimal number, got '25x83c98'");
        assertThat(malformed.get(0).getString(0)).isEqualTo(SHORT);
    }

    @Test
    void aMalformedLineFails() throws IOException {
        Dataset<Row> samples = read(Malformed.FAIL, FULL, SHORT);
        assertThatThrownBy(samples::collect).rootCause().hasMessage("it must have 40 fields, got 39");
        assertThatThrownBy(samples::collect)
                .hasStackTraceContaining(
                        "a line is malformed, it must have 40 fields, got 39; Malformed.DROP leaves such lines"
                                + " out; the line: " + SHORT);
    }

    @Test
    void otherNumbersOfTablesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CriteoLogs.read(LocalSpark.session(), Tables.of(5, 5), Malformed.FAIL, "x"))
                .withMessage("Criteo's 26 categorical fields need 1 or 26 tables, got 2");
    }
}
