/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.ec.LocalSpark;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.reflect.ClassTag$;

class RowsTest {
    @TempDir
    private Path home;

    /** Each type with values, with null, and within others. */
    @Test
    void allTypesAreKept() throws Exception {
        List<String> values = List.of(
                "id % 2 = 0",
                "CAST(id AS BYTE)",
                "CAST(id AS SHORT)",
                "CAST(id AS INT)",
                "id",
                "CAST(id AS FLOAT) / 3",
                "CAST(id AS DOUBLE) / 3",
                "CAST(id AS DECIMAL(9, 2))",
                "CAST(id AS DECIMAL(38, 18))",
                "repeat('ß', CAST(id AS INT))",
                "CAST(repeat('x', CAST(id AS INT)) AS BINARY)",
                "DATE'2020-01-01' + CAST(id AS INT)",
                "TIMESTAMP'2020-01-01 00:00:00' + make_dt_interval(CAST(id AS INT))",
                "TIMESTAMP_NTZ'2020-01-01 00:00:00' + make_dt_interval(CAST(id AS INT))",
                "make_dt_interval(CAST(id AS INT))",
                "make_ym_interval(CAST(id AS INT))",
                "make_interval(1, 2, 3, CAST(id AS INT), 5, 6, 7.5)",
                "parse_json(concat('{\"a\": ', id, '}'))");
        String structs = IntStream.range(0, values.size())
                .mapToObj(i -> values.get(i) + " AS c" + i)
                .collect(Collectors.joining(", "));
        String nulls = IntStream.range(0, values.size())
                .mapToObj(i -> "IF(id % 3 = 0, NULL, " + values.get(i) + ") AS n" + i)
                .collect(Collectors.joining(", "));
        Dataset<Row> rows = LocalSpark.session()
                .range(0, 30, 1, 2)
                .selectExpr(
                        "struct(" + structs + ") AS s",
                        "struct(" + nulls + ") AS n",
                        "array(named_struct('a', array(id, NULL), 'b', map('k', array('x', NULL))), NULL) AS nested",
                        "map(id, map('y', id)) AS maps",
                        "NULL AS nothing",
                        "array() AS empty");
        Sample.written(home, "rs-3-2", rows).check(rows);
    }

    /** As that of a coalesced Dataset: 1,000 partitions would be thousands of files. */
    @Test
    void aTaskThatReadsManyPartitionsHasNoFilesOfThoseThatAreRead() throws Exception {
        Sample sample = Sample.written(
                home, "rs-3-2", LocalSpark.session().range(0, 1000, 1, 20).toDF());
        String directories = home.toRealPath().toString();

        List<Long> counts = sample.reader()
                .rows(LocalSpark.session())
                .coalesce(1)
                .javaRDD()
                .mapPartitions(rows -> {
                    long read = 0;
                    for (; rows.hasNext(); read++) {
                        rows.next();
                    }
                    return List.of(read, openFiles(directories)).iterator();
                })
                .collect();

        assertThat(counts).containsExactly(1000L, 0L);
    }

    /** How many files below a folder this process has open, as Linux tells. */
    private static long openFiles(String folder) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(file -> isBelow(file, folder)).count();
        }
    }

    private static boolean isBelow(Path link, String folder) {
        try {
            return Files.readSymbolicLink(link).startsWith(folder);
        } catch (IOException e) {
            return false; // Closed meanwhile.
        }
    }

    @Test
    void emptyAndUnequalPartitions() throws Exception {
        Dataset<Row> rows = LocalSpark.session()
                .range(0, 2000, 1, 8)
                .where("id >= 250 AND id < 260 OR id >= 500 AND id < 750 OR id = 1999")
                .toDF();
        Sample sample = Sample.written(home, "paritas-4-1", rows);
        sample.check(rows);
        assertThat(sample.manifest().parts())
                .extracting(Part::count)
                .containsExactly(0L, 10L, 250L, 0L, 0L, 0L, 0L, 1L);
    }

    @Test
    void noPartitions() throws Exception {
        Dataset<Row> rows = LocalSpark.session().createDataFrame(List.of(), StructType.fromDDL("a INT, b STRING"));
        Dataset<Row> none = LocalSpark.session()
                .createDataFrame(
                        LocalSpark.session().sparkContext().<Row>emptyRDD(ClassTag$.MODULE$.apply(Row.class)),
                        rows.schema());
        Sample sample = Sample.written(home, "xor-2", none);
        assertThat(sample.manifest().parts()).isEmpty();
        assertThat(sample.reader().rows(LocalSpark.session()).count()).isZero();
        assertThat(sample.reader().rows(LocalSpark.session()).schema()).isEqualTo(rows.schema());
        assertThat(sample.repair().repair()).isEmpty();
    }

    @Test
    void noColumns() throws Exception {
        Dataset<Row> rows = LocalSpark.session().range(5).select();
        assertThat(Sample.written(home, "xor-2", rows)
                        .reader()
                        .rows(LocalSpark.session())
                        .count())
                .isEqualTo(5);
    }

    /** Rows that are longer than a cell, and than a stripe. */
    @Test
    void longRows() throws Exception {
        Dataset<Row> rows = LocalSpark.session()
                .range(0, 6, 1, 2)
                .select(
                        functions.col("id"),
                        functions
                                .expr("transform(sequence(1, 3000 * CAST(id AS INT)), i -> xxhash64(i, id))")
                                .as("long"));
        Sample sample = Sample.written(home, "rs-3-2", rows);
        Sample.delete(sample.directory(0));
        sample.check(rows);
    }

    @Test
    void queriesReadIt() throws Exception {
        Dataset<Row> rows = Sample.rows(100);
        Sample sample = Sample.written(home, "rs-3-2", rows);
        Sample.delete(sample.directory(1));
        Dataset<Row> read = sample.reader().rows(LocalSpark.session());
        assertThat(read.count()).isEqualTo(100);
        assertThat(read.select("text").as(Encoders.STRING()).collectAsList())
                .isEqualTo(rows.select("text").as(Encoders.STRING()).collectAsList());
        assertThat(read.limit(2).collectAsList()).isEqualTo(rows.limit(2).collectAsList());
        assertThat(read.alias("a")
                        .join(read.alias("b"), functions.expr("a.id = 99 - b.id"))
                        .where("a.text <> b.text")
                        .count())
                .isEqualTo(100);
        assertThat(read.union(read).distinct().count()).isEqualTo(100);
    }

    /** What is computed from rows that Spark does not have in its own layout, as from a Java bean. */
    @Test
    void rowsOfAnyPlan() throws Exception {
        Dataset<Row> local = LocalSpark.session().sql("SELECT * FROM VALUES (1, 'a'), (2, NULL) AS t(a, b)");
        Sample.written(home, "xor-2", local).check(local);
        Dataset<Row> grouped = Sample.rows(50).groupBy("id").agg(functions.collect_list("text"));
        Sample sample = Sample.written(home.resolve("grouped"), "xor-2", grouped);
        assertThat(sample.reader().rows(LocalSpark.session()).collectAsList())
                .hasSameElementsAs(grouped.collectAsList());
    }

    @Test
    void rowsOfAnotherSparkAreRefused() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(3));
        Manifest old = sample.manifest();
        assertThat(old.content().layout()).isEqualTo(RowLayout.of("4.9.0")).isNotEqualTo(RowLayout.of("5.0.0"));
        for (int directory = 0; directory < 3; directory++) {
            Manifest other = new Manifest(
                    old.id(),
                    old.replaces(),
                    old.code(),
                    old.chunk(),
                    old.directories(),
                    old.compression(),
                    "5.0.0",
                    new Content.Rows(RowLayout.of("5.0.0"), new StructType()),
                    old.parts());
            Path file = sample.directory(directory).resolve("checkpoint-" + old.id() + "/" + Manifest.FILE_NAME);
            Files.write(file, new ManifestCopy(other, directory).encoded());
        }
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> sample.reader().rows(LocalSpark.session()))
                .withMessage("the rows of a checkpoint must have the layout of this Spark, " + RowLayout.of("4.2.0")
                        + ", got " + RowLayout.of("5.0.0") + " in checkpoint " + old.id()
                        + ", written by Spark 5.0.0: read it there, and save the rows in a format such as Parquet");
    }

    private static Format.Source<InternalRow> read(Bytes content) throws IOException {
        LocalSpark.session(); // compression is Spark's
        RowFormat format = new RowFormat(StructType.fromDDL("id BIGINT"), new Compression("lz4"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(format.compression().output(bytes))) {
            content.writeTo(out);
        }
        return format.read(new ByteArrayInputStream(bytes.toByteArray()));
    }

    @FunctionalInterface
    private interface Bytes {
        void writeTo(DataOutputStream out) throws IOException;
    }

    @Test
    void rowsOfAnyLengthAreRead() throws IOException {
        int[] lengths = {16, 4096, 4104, 16, 1_000_000, 8, 1_048_584};
        try (Format.Source<InternalRow> rows = read(out -> {
            for (int length : lengths) {
                out.writeInt(length);
                out.write(row(length));
            }
        })) {
            for (int length : lengths) {
                assertThat(((UnsafeRow) rows.next()).getBytes()).isEqualTo(row(length));
            }
        }
    }

    private static byte[] row(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** More than the heap has: a JVM that ends when memory is short must not end for a length in a file. */
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MAX_VALUE, Integer.MAX_VALUE - 15})
    void aLengthAloneTakesNoMemory(int length) throws IOException {
        try (Format.Source<InternalRow> rows = read(out -> {
            out.writeInt(length);
            out.write(row(10_000));
        })) {
            assertThatExceptionOfType(EOFException.class).isThrownBy(rows::next);
        }
    }
}
