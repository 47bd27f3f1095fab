/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

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
 * Checkpoints of Datasets and RDDs as unit files, on any file system that Hadoop knows: of the n = k + r unit files of a partition, any
 * k suffice to read it, or most k of a local reconstruction code.
 *
 * <p>The directories are what fails as one: disks, buckets, volumes, the same for the driver and all executors. With n of them
 * or more, each has at most one unit file of a partition, and r of them may be lost. The unit files of a partition are those of
 * {@code paritas encode}; n small files for each partition, so {@code coalesce} what has many small partitions.
 *
 * <p>A checkpoint is for the same Spark: its rows are in the layout that Spark has them in memory, and a Spark of another major
 * version, or on machines with another byte order, refuses to read them. The elements of an RDD are what {@code spark.serializer}
 * makes of them: they are read by the same minor version of Spark, with the same serialiser and, of Kryo, the same settings and
 * registered classes.
 *
 * <p>Reading the checkpoint of an RDD deserialises what is in its directories, as reading Spark's own checkpoints does: whoever may
 * write there can have any code run by the application. Checksums find damage, not intent. A Dataset's rows are no objects.
 *
 * <p>Thread-safe; but write or repair a checkpoint from one place at a time.
 */
public final class ErasureCodedCheckpoint {
    private static final ChunkSize CHUNK = ChunkSize.parse("256k");

    private ErasureCodedCheckpoint() {}

    /**
     * Writes the rows of a Dataset, which is computed once for it.
     *
     * @param rows any Dataset of classic Spark
     * @param code such as {@code 6-3}, {@code rs-6-3} or {@code lrc-12-2-2}
     * @param directories in which file systems they are is up to them: {@code file:/disk3/checkpoints}, {@code s3a://…}
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if the directories have a checkpoint already
     * @throws IllegalArgumentException if there is no such code, or there are no directories, or the same twice
     */
    public static void write(Dataset<?> rows, String code, List<String> directories) throws IOException {
        write(rows, CodeName.parse(code), directories, SaveMode.ErrorIfExists);
    }

    /**
     * Writes the rows of a Dataset, which is computed once for it.
     *
     * @param mode {@code ErrorIfExists}, or {@code Overwrite}: then a checkpoint that the directories have already is deleted
     *     when the new one is complete, and not before; the new one's rows may come from it
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if there is a checkpoint that is not to be overwritten
     * @throws IllegalArgumentException if there are no directories, or the same twice, or it is another mode
     */
    public static void write(Dataset<?> rows, CodeName code, List<String> directories, SaveMode mode)
            throws IOException {
        CheckpointWriter.of(rows.sparkSession(), code, CHUNK, directories).write(rows, mode);
    }

    /**
     * Writes the elements of an RDD, which is computed once for it.
     *
     * @param elements any that {@code spark.serializer} can serialise
     * @param code such as {@code 6-3}, {@code rs-6-3} or {@code lrc-12-2-2}
     * @param directories as for a Dataset
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if the directories have a checkpoint already
     * @throws IllegalArgumentException if there is no such code, or there are no directories, or the same twice
     */
    public static void write(JavaRDD<?> elements, String code, List<String> directories) throws IOException {
        write(elements, CodeName.parse(code), directories, SaveMode.ErrorIfExists);
    }

    /**
     * Writes the elements of an RDD, which is computed once for it.
     *
     * @param mode {@code ErrorIfExists} or {@code Overwrite}, as for a Dataset
     * @throws org.apache.hadoop.fs.FileAlreadyExistsException if there is a checkpoint that is not to be overwritten
     * @throws IllegalArgumentException if there are no directories, or the same twice, or it is another mode
     */
    public static void write(JavaRDD<?> elements, CodeName code, List<String> directories, SaveMode mode)
            throws IOException {
        CheckpointWriter.of(elements.context(), code, CHUNK, directories).write(elements, mode);
    }

    /**
     * The rows of a checkpoint, in the partitions in which they were written. Each action reads them anew, from the data units
     * as far as they are intact. How much was not is shown by the accumulators {@code checkpoint partitions degraded} and
     * {@code checkpoint units damaged} of the stage. An action fails if a partition has fewer than k intact chunks somewhere.
     *
     * @param directories in any order; those that are lost may be named or left out
     * @throws UnitsException if the directories have several checkpoints, or one that this Spark cannot read, or that of an RDD
     * @throws java.io.FileNotFoundException if none of them has an intact manifest
     */
    public static Dataset<Row> read(SparkSession session, List<String> directories) throws IOException {
        return CheckpointReader.of(session, directories).rows(session);
    }

    /**
     * The elements of a checkpoint, in the partitions in which they were written; otherwise as the rows of a Dataset.
     *
     * @param <T> what was written: if it was something else, whoever uses an element gets a {@code ClassCastException}
     * @param directories in any order; those that are lost may be named or left out. Only the application can write to them
     * @throws UnitsException if the directories have several checkpoints, or one of another serialiser, or that of a Dataset
     * @throws java.io.FileNotFoundException if none of them has an intact manifest
     */
    @SuppressWarnings("unchecked")
    public static <T> JavaRDD<T> read(JavaSparkContext context, List<String> directories) throws IOException {
        return (JavaRDD<T>) CheckpointReader.of(context.sc(), directories).elements();
    }

    /**
     * Reads every byte of a checkpoint; changes nothing.
     *
     * @param directories all of them
     * @return what is missing or damaged
     */
    public static List<Damage> verify(SparkSession session, List<String> directories) throws IOException {
        return CheckpointRepair.of(session, directories).verify();
    }

    /**
     * Makes anew what a checkpoint has lost. The file systems rename as HDFS does.
     *
     * @param directories all of them, an empty or missing one in the place of each that is lost
     * @return what was missing or damaged, and is not any more
     * @throws UnitsException if some partitions have lost too much; the others are repaired
     */
    public static List<Damage> repair(SparkSession session, List<String> directories) throws IOException {
        return CheckpointRepair.of(session, directories).repair();
    }
}
