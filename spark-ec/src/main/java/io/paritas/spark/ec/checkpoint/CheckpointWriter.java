/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.spark.job.DurableFiles;
import io.paritas.spark.job.Serialised;
import io.paritas.spark.job.TaskGroup;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Writes checkpoints, on the driver.
 *
 * @param storage the file systems
 * @param code the code
 * @param chunk length of a cell
 * @param directories directories of the unit files, with their schemes
 */
public record CheckpointWriter(Storage storage, CodeName code, ChunkSize chunk, List<String> directories) {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointWriter.class);

    /** The job that writes the partitions. */
    private record Job(Storage storage, UnitFileLayout layout, TaskGroup tasks) {
        <T> List<Part> write(JavaRDD<T> elements, Format<T> format) {
            PartWriter<T> writer = new PartWriter<>(storage, layout, format);
            List<Part> parts = tasks.run(() -> Serialised.collect(elements.mapPartitionsWithIndex(writer, true)));
            return parts.stream().sorted(Comparator.comparingInt(Part::index)).toList();
        }
    }

    /**
     * Returns a writer for Datasets.
     *
     * @throws IllegalArgumentException if there are no directories, or the same twice, or stripes are too long
     */
    public static CheckpointWriter of(SparkSession session, CodeName code, ChunkSize chunk, List<String> directories)
            throws IOException {
        return of(Storage.of(session), code, chunk, directories);
    }

    /**
     * Returns a writer for RDDs.
     *
     * @throws IllegalArgumentException if there are no directories, or the same twice, or stripes are too long
     */
    public static CheckpointWriter of(SparkContext context, CodeName code, ChunkSize chunk, List<String> directories)
            throws IOException {
        return of(Storage.of(context), code, chunk, directories);
    }

    private static CheckpointWriter of(Storage storage, CodeName code, ChunkSize chunk, List<String> directories)
            throws IOException {
        UnitGroup.checkStripe(code, chunk);
        return new CheckpointWriter(storage, code, chunk, Directories.qualified(storage, directories));
    }

    /**
     * Writes rows.
     *
     * @throws FileAlreadyExistsException if there is a checkpoint and the mode is {@code ErrorIfExists}
     */
    public void write(Dataset<?> rows, SaveMode mode) throws IOException {
        SparkContext context = rows.sparkSession().sparkContext();
        QueryExecution query = ((org.apache.spark.sql.classic.Dataset<?>) rows).queryExecution();
        RowFormat format = new RowFormat(rows.schema(), Compression.of(context.conf()));
        write(
                context,
                new Content.Rows(RowLayout.of(context.version()), rows.schema()),
                mode,
                job -> SQLExecution.withNewExecutionId(
                        query,
                        Option.apply("erasure-coded checkpoint"),
                        () -> job.write(query.toRdd().toJavaRDD(), format)));
    }

    /**
     * Writes elements.
     *
     * @throws FileAlreadyExistsException if there is a checkpoint and the mode is {@code ErrorIfExists}
     */
    public void write(JavaRDD<?> elements, SaveMode mode) throws IOException {
        SparkContext context = elements.context();
        ElementFormat format = new ElementFormat(Compression.of(context.conf()));
        write(
                context,
                new Content.Elements(ElementLayout.of(context.conf(), context.version())),
                mode,
                job -> job.write(elements.map(element -> (Object) element), format));
    }

    private void write(SparkContext context, Content content, SaveMode mode, Function<Job, List<Part>> write)
            throws IOException {
        Set<String> old = Checkpoint.ids(storage, directories);
        check(mode, old);
        warnOfFewDirectories();
        UnitFileLayout layout =
                new UnitFileLayout(UUID.randomUUID().toString(), code.toString(), chunk.bytes(), directories);
        Leftovers leftovers = new Leftovers(storage, directories);
        TaskGroup tasks = new TaskGroup(context);
        List<Part> parts;
        try {
            parts = write.apply(new Job(storage, layout, tasks));
            writeManifests(new Manifest(
                    layout.id(),
                    old.stream().sorted().toList(),
                    code,
                    chunk,
                    directories.size(),
                    Compression.of(context.conf()),
                    context.version(),
                    content,
                    parts));
        } catch (Throwable e) {
            leftovers.deleteFailed(layout.id(), tasks, e);
            throw e;
        }
        leftovers.deleteAttempts(layout.id(), parts);
        old.forEach(leftovers::deleteReplaced);
    }

    private void check(SaveMode mode, Set<String> old) throws IOException {
        if (mode != SaveMode.ErrorIfExists && mode != SaveMode.Overwrite) {
            throw new IllegalArgumentException(
                    "the mode of a checkpoint must be ErrorIfExists or Overwrite, got " + mode);
        }
        if (mode == SaveMode.ErrorIfExists && !old.isEmpty()) {
            throw new FileAlreadyExistsException("the directories of a new checkpoint must have none, got "
                    + String.join(", ", old) + " in " + directories
                    + ": choose others, or replace it with SaveMode.Overwrite, in SQL mode => 'overwrite'");
        }
    }

    /** How many of its directories a checkpoint may lose at once. */
    public static int survives(CodeName code, int directories) {
        return Directories.survives(code, directories);
    }

    private void warnOfFewDirectories() {
        if (directories.size() < code.n()) {
            LOG.warn(Directories.survival(code, directories.size()));
        }
    }

    private void writeManifests(Manifest manifest) throws IOException {
        for (int number = 0; number < directories.size(); number++) {
            requireNone(manifest.id(), directories.get(number));
            writeManifest(storage, new ManifestCopy(manifest, number), directories.get(number));
        }
    }

    /** Where two names lead to one place, the manifest of one directory would replace that of the other. */
    private void requireNone(String id, String directory) throws IOException {
        Path file = manifest(id, directory);
        if (storage.at(file).exists(file)) {
            throw new IllegalArgumentException("the directories of a checkpoint must be different places, but "
                    + directory + " is the place of one before it in " + directories
                    + ", as through a symbolic link: name another directory");
        }
    }

    private static Path manifest(String id, String directory) {
        return new Path(UnitFileLayout.folder(directory, id), Manifest.FILE_NAME);
    }

    static void writeManifest(Storage storage, ManifestCopy copy, String directory) throws IOException {
        Path file = manifest(copy.manifest().id(), directory);
        try (FSDataOutputStream out = storage.at(file).create(file, true)) {
            out.write(copy.encoded());
            DurableFiles.sync(out);
        }
    }
}
