/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.spark.job.DiskFiles;
import io.paritas.spark.job.Interrupt;
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
 * @param configuration Hadoop's configuration
 */
record Storage(Broadcast<SerializableConfiguration> configuration) implements Serializable {

    /** The file systems with a session's configuration. */
    static Storage of(SparkSession session) {
        return of(
                session.sparkContext(),
                ((org.apache.spark.sql.classic.SparkSession) session)
                        .sessionState()
                        .newHadoopConf());
    }

    /** The file systems with an application's configuration. */
    static Storage of(SparkContext context) {
        return of(context, context.hadoopConfiguration());
    }

    private static Storage of(SparkContext context, Configuration hadoop) {
        return new Storage(JavaSparkContext.fromSparkContext(context).broadcast(new SerializableConfiguration(hadoop)));
    }

    /**
     * The file system of a path, without the checksums of Hadoop's local file system: they hide damaged bytes, and unit files
     * have checksums of their own.
     *
     * @throws IllegalStateException if this executor cannot get Hadoop's configuration, which says nothing about the path
     */
    FileSystem at(Path path) throws IOException {
        FileSystem files = path.getFileSystem(hadoop());
        return DiskFiles.of(files instanceof ChecksumFileSystem checked ? checked.getRawFileSystem() : files);
    }

    private Configuration hadoop() {
        try {
            return configuration.value().value();
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            Interrupt.caused(e); // sets the flag again
            throw new IllegalStateException(
                    "Hadoop's configuration must come from the driver, but this executor cannot get it: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Returns a path with its file system's scheme. */
    String qualified(String path) throws IOException {
        Path parsed = new Path(path);
        return at(parsed).makeQualified(parsed).toString();
    }

    /** Lists a folder; returns nothing if it does not exist. */
    List<FileStatus> list(Path folder) throws IOException {
        try {
            return Arrays.asList(at(folder).listStatus(folder));
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }

    /** Deletes a file or a folder, if it exists. */
    void delete(Path path) throws IOException {
        FileSystem files = at(path);
        if (!files.delete(path, true) && files.exists(path)) {
            throw new IOException(path + " cannot be deleted");
        }
    }

    /**
     * Deletes the paths that a failure has left behind, although the thread is interrupted; adds what fails to it.
     *
     * @return whether all are gone
     */
    boolean deleteAfter(Throwable failure, Collection<Path> paths) {
        boolean interrupted = Thread.interrupted(); // remote file systems refuse what an interrupted thread asks
        boolean gone = true;
        try {
            for (Path path : paths) {
                gone &= deleteAfter(failure, path);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return gone;
    }

    private boolean deleteAfter(Throwable failure, Path path) {
        try {
            delete(path);
            return true;
        } catch (IOException | IllegalStateException e) {
            failure.addSuppressed(e);
            return false;
        }
    }
}
