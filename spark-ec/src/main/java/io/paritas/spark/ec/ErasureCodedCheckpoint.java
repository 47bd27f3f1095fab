/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.PublicApi;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.ec.checkpoint.CheckpointReader;
import io.paritas.spark.ec.checkpoint.CheckpointRepair;
import io.paritas.spark.ec.checkpoint.CheckpointWriter;
import io.paritas.spark.ec.checkpoint.Damage;
import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Checkpoints of Datasets and RDDs as unit files, on any file system of Hadoop. A partition has n = k + r unit files; any k of
 * them suffice to read it, or most k of a local reconstruction code.
 *
 * <p>Each directory is a failure domain: a disk, a bucket, a volume, the same for the driver and all executors. With n
 * directories or more, each has at most one unit file of a partition, and any r may be lost. The unit files are those of
 * {@code paritas encode}. Each partition takes n files, so {@code coalesce} Datasets of many small partitions.
 *
 * <p>A checkpoint is for the same Spark. Rows have Spark's layout in memory: a Spark of another major version, or a machine with
 * another byte order, refuses to read them. Elements of an RDD are written by {@code spark.serializer}: they are read by the same
 * minor version of Spark with the same serialiser and, of Kryo, the same settings and registered classes.
 *
 * <p>Reading the checkpoint of an RDD deserialises its files, as reading Spark's own checkpoints does: a user who may write to the
 * directories can make the application run any code. Checksums find damage, not intent. A Dataset's rows are not deserialised.
 *
 * <p>Thread-safe; but write or repair a checkpoint from one place at a time.
 */
@PublicApi
public final class ErasureCodedCheckpoint {
    private static final ChunkSize CHUNK = ChunkSize.parse("256k");

    private ErasureCodedCheckpoint() {}

    /**
     * Writes the rows of a Dataset, which is computed once.
     *
     * @param rows any Dataset of classic Spark
     * @param code name of the code, such as {@code 6-3}, {@code rs-6-3} or {@code lrc-12-2-2}
     * @param directories paths of any file systems: {@code file:/disk3/checkpoints}, {@code s3a://…}
     * @throws IOException if a file cannot be written
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if the directories have a checkpoint already
     * @throws IllegalArgumentException if there is no such code, or there are no directories, or the same twice, under whatever
     *     names
     */
    public static void write(Dataset<?> rows, String code, List<String> directories) throws IOException {
        write(rows, code, directories, SaveMode.ErrorIfExists);
    }

    /**
     * Writes the rows of a Dataset, which is computed once.
     *
     * @param rows any Dataset of classic Spark
     * @param code name of the code
     * @param directories paths of any file systems
     * @param mode {@code ErrorIfExists}, or {@code Overwrite}, which deletes a checkpoint of these directories after the new one
     *     is complete: the new one's rows may come from it. Who has read the deleted one must read the directories again
     * @throws IOException if a file cannot be written
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if there is a checkpoint and the mode is {@code ErrorIfExists}
     * @throws IllegalArgumentException if there is no such code, no directories, the same one twice, under whatever names, or another
     *     mode
     */
    public static void write(Dataset<?> rows, String code, List<String> directories, SaveMode mode) throws IOException {
        CheckpointWriter.of(rows.sparkSession(), CodeName.parse(code), CHUNK, directories)
                .write(rows, mode);
    }

    /**
     * Writes the elements of an RDD, which is computed once.
     *
     * @param elements any that {@code spark.serializer} can serialise
     * @param code name of the code, such as {@code 6-3}, {@code rs-6-3} or {@code lrc-12-2-2}
     * @param directories as for a Dataset
     * @throws IOException if a file cannot be written
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if the directories have a checkpoint already
     * @throws IllegalArgumentException if there is no such code, or there are no directories, or the same twice, under whatever
     *     names
     */
    public static void write(JavaRDD<?> elements, String code, List<String> directories) throws IOException {
        write(elements, code, directories, SaveMode.ErrorIfExists);
    }

    /**
     * Writes the elements of an RDD, which is computed once.
     *
     * @param elements any that {@code spark.serializer} can serialise
     * @param code name of the code
     * @param directories as for a Dataset
     * @param mode {@code ErrorIfExists} or {@code Overwrite}, as for a Dataset
     * @throws IOException if a file cannot be written
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if there is a checkpoint and the mode is {@code ErrorIfExists}
     * @throws IllegalArgumentException if there is no such code, no directories, the same one twice, under whatever names, or another
     *     mode
     */
    public static void write(JavaRDD<?> elements, String code, List<String> directories, SaveMode mode)
            throws IOException {
        CheckpointWriter.of(elements.context(), CodeName.parse(code), CHUNK, directories)
                .write(elements, mode);
    }

    /**
     * Reads the rows of a checkpoint, in the partitions in which they were written. Each action reads the files: the data units,
     * and parity where data is damaged. The accumulators {@code checkpoint partitions degraded} and {@code checkpoint units
     * damaged} of the stage count damage. An action fails if a stripe of a partition has fewer than k intact chunks.
     *
     * @param session the session of the rows
     * @param directories in any order; lost ones may be named or left out
     * @throws IOException if a directory cannot be read
     * @throws UnitsException if the directories have several checkpoints, or one of an RDD or another Spark
     * @throws java.io.FileNotFoundException if no directory has an intact manifest
     */
    public static Dataset<Row> read(SparkSession session, List<String> directories) throws IOException {
        return CheckpointReader.of(session, directories).rows(session);
    }

    /**
     * Reads the elements of a checkpoint, in the partitions in which they were written; otherwise as the rows of a Dataset.
     *
     * @param <T> type of the elements that were written; using an element of another type throws a {@code ClassCastException}
     * @param context the application
     * @param directories in any order; lost ones may be named or left out. Only the application may be able to write to them
     * @throws IOException if a directory cannot be read
     * @throws UnitsException if the directories have several checkpoints, or one of a Dataset or another serialiser
     * @throws java.io.FileNotFoundException if no directory has an intact manifest
     */
    @SuppressWarnings("unchecked")
    public static <T> JavaRDD<T> read(JavaSparkContext context, List<String> directories) throws IOException {
        return (JavaRDD<T>) CheckpointReader.of(context.sc(), directories).elements();
    }

    /**
     * Reads every byte of a checkpoint; changes nothing.
     *
     * @param session the session whose tasks do it
     * @param directories all directories
     * @return the missing and damaged files
     * @throws IOException if a directory cannot be read
     */
    public static List<Damage> verify(SparkSession session, List<String> directories) throws IOException {
        return CheckpointRepair.of(session, directories).verify();
    }

    /**
     * Rebuilds the lost files of a checkpoint. The file systems must rename as HDFS does.
     *
     * @param session the session whose tasks do it
     * @param directories all directories, an empty or missing one in the place of each lost one
     * @return the files that were missing or damaged, and are repaired; without those of a task whose executor ended behind its repair
     * @throws IOException if a directory cannot be read or written
     * @throws UnitsException if some partitions have lost too much; the others are repaired
     */
    public static List<Damage> repair(SparkSession session, List<String> directories) throws IOException {
        return CheckpointRepair.of(session, directories).repair();
    }
}
