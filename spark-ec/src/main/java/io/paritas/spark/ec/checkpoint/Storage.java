/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Hadoop's file systems, on the driver and on executors.
 *
 * @param configuration theirs
 */
record Storage(Broadcast<SerializableConfiguration> configuration) implements Serializable {

    /** As a session is configured. */
    static Storage of(SparkSession session) {
        return of(
                session.sparkContext(),
                ((org.apache.spark.sql.classic.SparkSession) session)
                        .sessionState()
                        .newHadoopConf());
    }

    /** As an application is configured. */
    static Storage of(SparkContext context) {
        return of(context, context.hadoopConfiguration());
    }

    private static Storage of(SparkContext context, Configuration hadoop) {
        return new Storage(JavaSparkContext.fromSparkContext(context).broadcast(new SerializableConfiguration(hadoop)));
    }

    /**
     * The file system of a path. Files here carry checksums of their own, so that those of Hadoop's local file system, which
     * hides what it finds damaged, are left out.
     */
    FileSystem at(Path path) throws IOException {
        FileSystem files = path.getFileSystem(configuration.value().value());
        return files instanceof ChecksumFileSystem checked ? checked.getRawFileSystem() : files;
    }

    /** The path with its file system's scheme. */
    String qualified(String path) throws IOException {
        Path parsed = new Path(path);
        return at(parsed).makeQualified(parsed).toString();
    }

    /** What is in a folder; nothing if there is no such folder. */
    List<FileStatus> list(Path folder) throws IOException {
        try {
            return Arrays.asList(at(folder).listStatus(folder));
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }

    /** Deletes a file or a folder, if it is there. */
    void delete(Path path) throws IOException {
        FileSystem files = at(path);
        if (!files.delete(path, true) && files.exists(path)) {
            throw new IOException(path + " cannot be deleted");
        }
    }

    /** Deletes what something that failed has left. */
    void deleteAfter(Throwable failure, Collection<Path> paths) {
        for (Path path : paths) {
            try {
                delete(path);
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
