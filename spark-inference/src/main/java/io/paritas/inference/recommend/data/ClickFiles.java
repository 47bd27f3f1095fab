/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.PublicApi;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Tables of clicks in files: Parquet, recognised by the name of a file that ends in {@code .parquet}, or text with tabs between the
 * values. Folders of Parquet whose names are {@code column=value} make a column. The first line of each text file names the columns if
 * the label's name is among its values; otherwise each line has the columns label, dense and categorical in their order, as Criteo's
 * files have. Empty values are nulls. Thread-safe.
 */
@PublicApi
public final class ClickFiles {
    private static final int MOST_LETTERS = 80;

    private ClickFiles() {}

    /**
     * The table of a file, or of all files in a folder and below it.
     *
     * @param columns the columns that will be used; others are kept where files name them
     * @throws IOException if there is no such file, or it cannot be read
     * @throws IllegalArgumentException if the first line of a text file has neither the names nor as many values as there are columns
     */
    public static Dataset<Row> read(SparkSession session, String path, FeatureColumns columns) throws IOException {
        List<String> names = first(session, path);
        String first = names.get(0);
        if (first.endsWith(".parquet")) {
            boolean partitioned = names.stream().skip(1).anyMatch(name -> name.contains("="));
            return session.read().option("recursiveFileLookup", !partitioned).parquet(path);
        }
        List<String> line = SessionFiles.reading(
                new Path(first),
                () -> SessionFiles.exactly(session).textFile(first).limit(1).collectAsList());
        if (line.isEmpty()) {
            throw new IOException("files of samples must not be empty, " + first + " is");
        }
        List<String> values = Arrays.asList(line.get(0).split("\t", -1));
        boolean header = values.contains(columns.label());
        if (!header && values.size() != columns.all().size()) {
            throw new IllegalArgumentException("the first line of " + first + " must have the names of its columns, '"
                    + columns.label() + "' among them, or the " + columns.all().size() + " values of " + columns.all()
                    + ", separated by tabs; it has " + values.size() + ", such as '" + shortened(values.get(0)) + "'"
                    + (values.size() == 1 ? ": separate them by tabs, or give Parquet" : ""));
        }
        var reader = session.read()
                .option("sep", "\t")
                .option("quote", "")
                .option("mode", "FAILFAST")
                .option("recursiveFileLookup", true)
                .option("columnPruning", false)
                .option("enforceSchema", false)
                .option("header", header);
        return (header ? reader : reader.schema(strings(columns.all()))).csv(path);
    }

    private static String shortened(String value) {
        return value.length() > MOST_LETTERS ? value.substring(0, MOST_LETTERS) + "..." : value;
    }

    private static StructType strings(List<String> names) {
        StructType schema = new StructType();
        for (String name : names) {
            schema = schema.add(name, DataTypes.StringType);
        }
        return schema;
    }

    /**
     * The first file that is not hidden nor in a hidden folder, as Spark takes names, and the names of the folders between the path and
     * it.
     */
    private static List<String> first(SparkSession session, String path) throws IOException {
        Path root = new Path(path);
        FileSystem files = SessionFiles.of(session, root);
        FileStatus[] found = files.globStatus(root);
        if (found == null || found.length == 0) {
            throw new FileNotFoundException(
                    "the path of samples must have files, got " + path + ", which does not exist");
        }
        for (FileStatus status : found) {
            var below = files.listFiles(status.getPath(), true);
            while (below.hasNext()) {
                Path file = below.next().getPath();
                List<String> folders = folders(status.getPath(), file);
                if (!isHidden(file.getName()) && folders.stream().noneMatch(ClickFiles::isHidden)) {
                    return Stream.concat(Stream.of(file.toString()), folders.stream())
                            .toList();
                }
            }
        }
        throw new FileNotFoundException("the path of samples must have files, got " + path + ", which has none");
    }

    private static List<String> folders(Path root, Path file) {
        return Stream.iterate(file, path -> !path.equals(root), Path::getParent)
                .skip(1)
                .map(Path::getName)
                .toList();
    }

    private static boolean isHidden(String name) {
        return name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
    }
}
