/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.xxhash64;

import io.paritas.PublicApi;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * How the rows of a table become samples: each categorical column has an embedding table of its own, and a category becomes a row
 * of it, either by a hash or by a vocabulary.
 *
 * <p>With a hash, a category's row is xxhash64 of (number of the column from 0, category as a string) modulo the rows of the table,
 * as Spark's SQL function computes it; categories may share a row. With a vocabulary, the most frequent categories have rows of
 * their own from 1 on, and all others, also those that are seen for the first time, share row 0. The ids of a sample are offsets
 * into all tables, as {@link Tables} counts them.
 *
 * <p>Files: {@code encoding.json} and, for a vocabulary, Parquet with {@code field INT, category STRING, row BIGINT} in the folder
 * {@code vocabulary}. Immutable and thread-safe.
 */
@PublicApi
public final class FeatureEncoding {
    private static final String FILE = "encoding.json";
    private static final String VOCABULARY = "vocabulary";
    /** Types of which equal numbers have equal texts. */
    private static final Set<String> WHOLE = Set.of("TINYINT", "SMALLINT", "INT", "BIGINT");

    private final FeatureColumns columns;
    private final Tables tables;
    private final Optional<Vocabulary> vocabulary;
    /** Those of the categorical columns; none if they are not known. */
    private final List<String> types;

    private FeatureEncoding(
            FeatureColumns columns, Tables tables, Optional<Vocabulary> vocabulary, List<String> types) {
        if (tables.count() != columns.categorical().size()) {
            throw new IllegalArgumentException("each categorical column must have an embedding table, got "
                    + tables.count() + " tables for " + columns.categorical().size() + " columns");
        }
        this.columns = columns;
        this.tables = tables;
        this.vocabulary = vocabulary;
        this.types = types;
    }

    /**
     * Returns an encoding by hashes, of categories of any type: see {@link #ofTypes}.
     *
     * @param tables one for each categorical column
     */
    public static FeatureEncoding hashed(FeatureColumns columns, Tables tables) {
        return new FeatureEncoding(columns, tables, Optional.empty(), List.of());
    }

    /**
     * Returns an encoding by the vocabulary of a table, which is read once, and of the {@linkplain #ofTypes types} that it has.
     *
     * @param most the greatest number of categories of a column that have rows of their own, at least 1
     * @param atLeast how often a category must occur for that, at least 1
     * @throws IllegalArgumentException if one of the numbers is less than 1
     */
    public static FeatureEncoding vocabulary(FeatureColumns columns, Dataset<?> table, int most, int atLeast) {
        if (most < 1 || atLeast < 1) {
            throw new IllegalArgumentException(
                    "a vocabulary must have at least 1 category that occurs at least once, got " + most
                            + " categories that occur " + atLeast + " times");
        }
        Vocabulary words = Vocabulary.of(columns.categorical(table), table, most, atLeast);
        Tables tables = words.tables(columns.categorical().size());
        return new FeatureEncoding(columns, tables, Optional.of(words), columns.types(table));
    }

    /**
     * Returns this encoding for the types that the categorical columns have in a table, of which it takes no others: the texts of equal
     * values, and so their rows, are others. A whole number of another size is the same.
     *
     * @throws IllegalArgumentException if a column is missing
     */
    public FeatureEncoding ofTypes(Dataset<?> table) {
        return new FeatureEncoding(columns, tables, vocabulary, columns.types(table));
    }

    /** The columns that are encoded. */
    public FeatureColumns columns() {
        return columns;
    }

    /** The embedding tables, one for each categorical column. */
    public Tables tables() {
        return tables;
    }

    /**
     * Returns the samples of a table, with the columns of {@link Samples}. Reading them fails if a string that must be a number is
     * none.
     *
     * @throws IllegalArgumentException if a column is missing or has another type
     */
    public Dataset<Row> samples(Dataset<?> table) {
        return encoded(table, List.of(columns.label(table).as("label")));
    }

    /**
     * Returns the columns of a table, followed by {@code dense} and {@code categorical}. It needs no label.
     *
     * @throws IllegalArgumentException if a column is missing or has another type, or one of the two is there already
     */
    public Dataset<Row> features(Dataset<?> table) {
        FeatureColumns.requireNoFeatures(table);
        return encoded(
                table,
                Stream.of(table.schema().fieldNames())
                        .map(name -> FeatureColumns.column(table, name))
                        .toList());
    }

    private void requireTypes(Dataset<?> table) {
        List<String> found = columns.types(table);
        for (int field = 0; field < types.size(); field++) {
            String wanted = types.get(field);
            if (!wanted.equals(found.get(field)) && !WHOLE.containsAll(List.of(wanted, found.get(field)))) {
                throw new IllegalArgumentException(
                        "column '" + columns.categorical().get(field) + "' must have the type of the training, "
                                + wanted + ", got " + found.get(field) + ": cast it");
            }
        }
    }

    private Dataset<Row> encoded(Dataset<?> table, List<Column> kept) {
        requireTypes(table);
        List<Column> before = new ArrayList<>(kept);
        before.add(array(columns.dense(table).toArray(Column[]::new)).as("dense"));
        List<Column> categories = columns.categorical(table);
        if (vocabulary.isPresent()) {
            return vocabulary.get().encode(table, before, categories, tables);
        }
        List<Column> ids = new ArrayList<>();
        for (int field = 0; field < categories.size(); field++) {
            Column hash = xxhash64(lit(field), categories.get(field));
            ids.add(pmod(hash, lit(tables.rows(field))).plus(lit(tables.first(field))));
        }
        before.add(array(ids.toArray(Column[]::new)).cast("array<bigint>").as("categorical"));
        return table.select(before.toArray(Column[]::new));
    }

    /**
     * Writes the encoding.
     *
     * @param folder new or empty folder of any Hadoop file system
     */
    public void write(SparkSession session, String folder) throws IOException {
        Path path = new Path(folder);
        if (vocabulary.isPresent()) {
            vocabulary.get().rows().coalesce(1).write().parquet(new Path(path, VOCABULARY).toString());
        }
        try (FSDataOutputStream out = SessionFiles.of(session, path).create(new Path(path, FILE), false)) {
            out.write(EncodingJson.encode(new EncodingJson.Fields(columns, types, tables, vocabulary.isPresent())));
        }
    }

    /**
     * Reads an encoding; empty if the folder has none.
     *
     * @throws IOException if its files cannot be read
     */
    public static Optional<FeatureEncoding> read(SparkSession session, String folder) throws IOException {
        Path path = new Path(folder);
        Path json = new Path(path, FILE);
        FileSystem files = SessionFiles.of(session, path);
        if (!files.exists(json)) {
            return Optional.empty();
        }
        try (var in = files.open(json)) {
            EncodingJson.Fields fields = EncodingJson.decode(in.readAllBytes());
            Optional<Vocabulary> words = fields.vocabulary()
                    ? Optional.of(vocabulary(session, new Path(path, VOCABULARY), fields.tables()))
                    : Optional.empty();
            return Optional.of(new FeatureEncoding(fields.columns(), fields.tables(), words, fields.types()));
        } catch (IllegalArgumentException e) {
            throw new IOException("cannot read " + json + ": " + e.getMessage(), e);
        }
    }

    private static Vocabulary vocabulary(SparkSession session, Path folder, Tables tables) throws IOException {
        Vocabulary words = new Vocabulary(SessionFiles.parquet(session, folder, Vocabulary.SCHEMA));
        Tables found = SessionFiles.reading(folder, () -> words.tables(tables.count()));
        if (!found.equals(tables)) {
            throw new IllegalArgumentException("its vocabulary must be that of tables with " + tables + " rows, got "
                    + found + ": copy the whole folder of the model");
        }
        return words;
    }
}
