/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import scala.Option;

/**
 * Writes checkpoints, on the driver.
 *
 * @param storage the file systems
 * @param code the code
 * @param chunk how long the cells are
 * @param directories where the unit files go, with their schemes
 */
public record CheckpointWriter(Storage storage, CodeName code, ChunkSize chunk, List<String> directories) {
    private static final System.Logger LOG = System.getLogger(CheckpointWriter.class.getName());

    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException if the directories are none or not different, or the stripes too long
     */
    public static CheckpointWriter of(SparkSession session, CodeName code, ChunkSize chunk, List<String> directories)
            throws IOException {
        UnitGroup.checkStripe(code, chunk);
        Storage storage = Storage.of(session);
        return new CheckpointWriter(storage, code, chunk, Directories.qualified(storage, directories));
    }

    /**
     * Writes rows.
     *
     * @throws FileAlreadyExistsException if there is a checkpoint that is not to be overwritten
     */
    public void write(Dataset<?> rows, SaveMode mode) throws IOException {
        Set<String> old = Checkpoint.ids(storage, directories);
        check(mode, old);
        warnOfFewDirectories();
        Layout layout = new Layout(UUID.randomUUID().toString(), code.toString(), chunk.bytes(), directories);
        try {
            List<Part> parts = writeParts(rows, layout);
            sweep(storage, layout, parts);
            writeManifests(manifest(rows, layout, parts, old));
        } catch (IOException | RuntimeException e) {
            discard(layout, e);
            throw e;
        }
        old.forEach(this::deleteReplaced);
    }

    private void check(SaveMode mode, Set<String> old) throws IOException {
        if (mode != SaveMode.ErrorIfExists && mode != SaveMode.Overwrite) {
            throw new IllegalArgumentException(
                    "A checkpoint is written with the mode ErrorIfExists or Overwrite; got " + mode);
        }
        if (mode == SaveMode.ErrorIfExists && !old.isEmpty()) {
            throw new FileAlreadyExistsException("The directories of a new checkpoint have none yet; " + directories
                    + " have " + String.join(", ", old)
                    + ". Choose others, or replace it with SaveMode.Overwrite");
        }
    }

    private void warnOfFewDirectories() {
        if (directories.size() < code.n()) {
            LOG.log(System.Logger.Level.WARNING, Directories.survival(code, directories.size()));
        }
    }

    private List<Part> writeParts(Dataset<?> rows, Layout layout) {
        QueryExecution query = ((org.apache.spark.sql.classic.Dataset<?>) rows).queryExecution();
        PartWriter writer = new PartWriter(storage, layout, new RowFormat(rows.schema(), compression(rows)));
        return SQLExecution.withNewExecutionId(query, Option.apply("erasure-coded checkpoint"), () -> {
            JavaRDD<InternalRow> partitions = query.toRdd().toJavaRDD();
            return partitions.mapPartitionsWithIndex(writer, true).collect().stream()
                    .sorted(Comparator.comparingInt(Part::index))
                    .toList();
        });
    }

    private static String compression(Dataset<?> rows) {
        SparkConf conf = rows.sparkSession().sparkContext().conf();
        return CompressionCodec.getShortName(CompressionCodec.getCodecName(conf));
    }

    private Manifest manifest(Dataset<?> rows, Layout layout, List<Part> parts, Set<String> old) {
        String version = rows.sparkSession().version();
        return new Manifest(
                layout.id(),
                old.stream().sorted().toList(),
                code,
                chunk,
                directories.size(),
                compression(rows),
                RowLayout.of(version),
                version,
                rows.schema(),
                parts);
    }

    /** Deletes what attempts have left behind whose tasks were done by another one. */
    static void sweep(Storage storage, Layout layout, List<Part> parts) throws IOException {
        Set<String> current = parts.stream().map(Part::folder).collect(Collectors.toSet());
        for (String directory : layout.known()) {
            for (FileStatus entry : storage.list(Layout.folder(directory, layout.id()))) {
                if (!current.contains(entry.getPath().getName())) {
                    storage.delete(entry.getPath());
                }
            }
        }
    }

    private void writeManifests(Manifest manifest) throws IOException {
        for (int number = 0; number < directories.size(); number++) {
            writeManifest(storage, new ManifestCopy(manifest, number), directories.get(number));
        }
    }

    static void writeManifest(Storage storage, ManifestCopy copy, String directory) throws IOException {
        Path file = new Path(Layout.folder(directory, copy.manifest().id()), Manifest.FILE_NAME);
        try (OutputStream out = storage.at(file).create(file, true)) {
            out.write(copy.encoded());
        }
    }

    /** Leaves nothing of a checkpoint that could not be written. */
    private void discard(Layout layout, Exception cause) {
        try {
            delete(layout.id());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** The new one is complete, whatever happens to the old one, which does not count any more. */
    private void deleteReplaced(String id) {
        try {
            delete(id);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Checkpoint " + id
                            + " was replaced, but cannot be deleted. The next one that is written here tries again",
                    e);
        }
    }

    /** Deletes a checkpoint, the manifests first: without one, it is none. */
    private void delete(String id) throws IOException {
        for (String directory : directories) {
            storage.delete(new Path(Layout.folder(directory, id), Manifest.FILE_NAME));
        }
        for (String directory : directories) {
            storage.delete(Layout.folder(directory, id));
        }
    }
}
