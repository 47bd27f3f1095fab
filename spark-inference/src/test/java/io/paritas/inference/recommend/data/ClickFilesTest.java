/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClickFilesTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final FeatureColumns NAMED = new FeatureColumns("y", List.of("price"), List.of("shop"), Scale.NONE);
    private static final String CRITEO = "1\t5\t\t-2" + "\t7".repeat(10) + "\t68fd1e64\t" + "\tc".repeat(24);

    @TempDir
    private Path folder;

    @Test
    void criteosFilesNeedNoHeader() throws IOException {
        Files.writeString(folder.resolve("day_0"), CRITEO + "\n" + "0" + "\t".repeat(39) + "\n");
        Dataset<Row> table = ClickFiles.read(SPARK, folder.toString(), FeatureColumns.criteo());
        assertThat(table.columns()).hasSize(40).startsWith("label", "I1", "I2").endsWith("C26");
        Dataset<Row> samples = FeatureEncoding.hashed(FeatureColumns.criteo(), Tables.equal(26, 100))
                .samples(table);
        List<Row> rows = samples.selectExpr("label", "dense[0]", "dense[1]", "dense[2]", "size(categorical)")
                .collectAsList();
        assertThat(rows.get(0)).hasToString("[1.0," + (float) Math.log(6) + ",0.0,0.0,26]");
        assertThat(rows.get(1)).hasToString("[0.0,0.0,0.0,0.0,26]");
    }

    @Test
    void aFirstLineThatIsNeitherNamesNorValuesIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("clicks.csv"), "y,price,shop\n1,2.5,s\n");

        assertThatThrownBy(() -> ClickFiles.read(SPARK, folder.toString(), NAMED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the first line of " + file.toUri().toString().replace("file:///", "file:/")
                                + " must have the names of its columns, 'y' among them, or the 3 values of [y, price, shop],"
                                + " separated by tabs; it has 1, such as 'y,price,shop': separate them by tabs, or give Parquet");
    }

    /** The same table as text and as Parquet gives the same samples. */
    @Test
    void aHeaderNamesColumnsAndParquetHasThem() throws IOException {
        Path text = Files.createDirectories(folder.resolve("text/2026")).resolve("a.tsv");
        Files.writeString(
                text,
                Stream.concat(
                                Stream.of("shop\tnote\ty\tprice"),
                                IntStream.range(0, 20)
                                        .mapToObj(i -> "s" + i % 3 + "\t\"" + i + "\t" + i % 2 + "\t"
                                                + (i == 5 ? "" : i / 4.0)))
                        .reduce("", (all, line) -> all + line + "\n"));
        Dataset<Row> table = ClickFiles.read(SPARK, folder.resolve("text").toString(), NAMED);
        String parquet = folder.resolve("parquet").toString();
        table.selectExpr("double(price) price", "int(y) y", "shop").write().parquet(parquet);
        FeatureEncoding encoding = FeatureEncoding.hashed(NAMED, Tables.of(10));
        List<Row> samples = encoding.samples(table).collectAsList();
        assertThat(samples).hasSize(20);
        assertThat(encoding.samples(ClickFiles.read(SPARK, parquet, NAMED)).collectAsList())
                .hasToString(samples.toString());
    }

    @Test
    void aFileInAFolderMayHaveTheNameOfAPattern() throws IOException {
        Files.writeString(folder.resolve("c[1].tsv"), "y\tprice\tshop\n1\t2.5\ts\n");
        assertThat(ClickFiles.read(SPARK, folder.toString(), NAMED).collectAsList())
                .hasToString("[[1,2.5,s]]");
    }

    /** Without a word, some were left out. */
    @Test
    void parquetOfAllFoldersIsRead() throws IOException {
        Dataset<Row> table = SPARK.range(4).selectExpr("double(id) price", "id % 2 y", "'a' shop");
        Path whole = folder.resolve("whole");
        table.write().parquet(whole.toString());
        table.write().parquet(whole.resolve("2026/11").toString());
        Files.createDirectories(whole.resolve("2026/_delta_log"));
        Files.writeString(whole.resolve("2026/_delta_log/0.json"), "{}");
        Files.createDirectories(whole.resolve("_delta_log"));
        Files.writeString(whole.resolve("_delta_log/0.json"), "{}");
        assertThat(ClickFiles.read(SPARK, whole.toString(), NAMED).count()).isEqualTo(8);
        assertThat(ClickFiles.read(SPARK, whole.resolve("2026").toString(), NAMED)
                        .count())
                .isEqualTo(4);
        Path parts = folder.resolve("parts");
        table.write().partitionBy("shop").parquet(parts.toString());
        assertThat(ClickFiles.read(SPARK, parts.toString(), NAMED).columns()).containsExactly("price", "y", "shop");
    }

    @Test
    void linesWithOtherFieldsFail() throws IOException {
        Files.writeString(folder.resolve("short"), CRITEO + "\n" + CRITEO.substring(0, CRITEO.length() - 2) + "\n");
        Dataset<Row> table = ClickFiles.read(SPARK, folder.toString(), FeatureColumns.criteo());
        assertThatThrownBy(table::collectAsList).hasStackTraceContaining("MALFORMED");
    }

    /** Also those with columns that are not used, which Spark by itself would not look at. */
    @ParameterizedTest
    @ValueSource(strings = {"s1\tn\t1", "s1\tn\tm\t1\t0.5"})
    void linesThatDoNotFitTheHeaderFail(String line) throws IOException {
        Files.writeString(folder.resolve("a.tsv"), "shop\tnote\ty\tprice\ns0\tn\t0\t2\n" + line + "\n");
        Dataset<Row> samples =
                FeatureEncoding.hashed(NAMED, Tables.of(10)).samples(ClickFiles.read(SPARK, folder.toString(), NAMED));
        assertThatThrownBy(samples::collectAsList).hasStackTraceContaining("MALFORMED");
    }

    /** Else columns would be mistaken for each other, or the first line of a file without a header would be lost. */
    @ParameterizedTest
    @ValueSource(strings = {"note\tshop\ty\tprice", "s0\tn\t0\t2"})
    void headersOfAllFilesMustBeTheSame(String other) throws IOException {
        Files.writeString(folder.resolve("a.tsv"), "shop\tnote\ty\tprice\ns0\tn\t0\t2\n");
        Files.writeString(folder.resolve("b.tsv"), other + "\ns0\tn\t0\t2\n");
        Dataset<Row> samples =
                FeatureEncoding.hashed(NAMED, Tables.of(10)).samples(ClickFiles.read(SPARK, folder + "/*.tsv", NAMED));
        assertThatThrownBy(samples::collectAsList).hasStackTraceContaining("CSV header does not conform to the schema");
    }

    @Test
    void pathsWithoutFilesAreRefused() throws IOException {
        String nothing = folder.resolve("nothing").toString();
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> ClickFiles.read(SPARK, nothing, NAMED))
                .withMessage("the path of samples must have files, got " + nothing + ", which does not exist");
        Files.createFile(folder.resolve("_SUCCESS"));
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> ClickFiles.read(SPARK, folder.toString(), NAMED))
                .withMessage("the path of samples must have files, got " + folder + ", which has none");
        Files.createFile(folder.resolve("empty"));
        assertThatThrownBy(() -> ClickFiles.read(SPARK, folder.toString(), NAMED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("files of samples must not be empty");
    }
}
