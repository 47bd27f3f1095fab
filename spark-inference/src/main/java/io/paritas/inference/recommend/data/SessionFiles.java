/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.spark.job.DiskFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.types.StructType;

/** File systems as a Spark session has configured them, and what Spark reads from them. */
public final class SessionFiles {
    private SessionFiles() {}

    /** The file system of a path. */
    public static FileSystem of(SparkSession session, Path path) throws IOException {
        return DiskFiles.of(
                path,
                ((org.apache.spark.sql.classic.SparkSession) session)
                        .sessionState()
                        .newHadoopConf());
    }

    /**
     * The Parquet of a folder, by its name as it is: it may have letters that make patterns, such as {@code m[1]}. Actions read the
     * files, which may fail as {@link #reading} has it.
     *
     * @throws FileNotFoundException if there is no such folder
     */
    public static Dataset<Row> parquet(SparkSession session, Path folder, StructType schema) throws IOException {
        if (!of(session, folder).exists(folder)) {
            throw new FileNotFoundException("there must be a folder " + folder + " of Parquet: copy all files");
        }
        return reading(folder, () -> exactly(session).schema(schema).parquet(folder.toString()));
    }

    /** Reads paths as they are, not as patterns. */
    static DataFrameReader exactly(SparkSession session) {
        return session.read().option(DataSource.GLOB_PATHS_KEY(), false);
    }

    /**
     * Returns what Spark reads, which throws checked exceptions that it does not declare.
     *
     * @throws IOException if it has thrown one
     */
    public static <T> T reading(Path path, Callable<T> action) throws IOException {
        try {
            return action.call();
        } catch (RuntimeException | IOException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    /** Whether a path is a folder, or in it. */
    public static boolean isWithin(SparkSession session, String path, String folder) throws IOException {
        Path outer = qualified(session, folder);
        for (Path above = qualified(session, path); above != null; above = above.getParent()) {
            if (above.equals(outer)) {
                return true;
            }
        }
        return false;
    }

    private static Path qualified(SparkSession session, String path) throws IOException {
        Path given = new Path(path);
        return of(session, given).makeQualified(given);
    }
}
