/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.job.Serialised;
import java.io.IOException;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a checkpoint, on the driver.
 *
 * @param context the application
 * @param storage the file systems
 * @param checkpoint the checkpoint
 * @param degradedPartitions counts partitions that were read with missing or damaged units
 * @param damagedUnits counts these units
 */
public record CheckpointReader(
        SparkContext context,
        Storage storage,
        Checkpoint checkpoint,
        LongAccumulator degradedPartitions,
        LongAccumulator damagedUnits) {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointReader.class);

    /**
     * Finds the checkpoint, with the file systems of a session.
     *
     * @throws UnitsException if the directories have several, or one of another version
     * @throws IOException if there is none
     */
    public static CheckpointReader of(SparkSession session, List<String> directories) throws IOException {
        return of(session.sparkContext(), Storage.of(session), directories);
    }

    /**
     * Finds the checkpoint, with the file systems of an application.
     *
     * @throws UnitsException if the directories have several, or one of another version
     * @throws IOException if there is none
     */
    public static CheckpointReader of(SparkContext context, List<String> directories) throws IOException {
        return of(context, Storage.of(context), directories);
    }

    private static CheckpointReader of(SparkContext context, Storage storage, List<String> directories)
            throws IOException {
        Checkpoint checkpoint = Checkpoint.find(storage, Directories.qualified(storage, directories));
        checkpoint.damage().forEach((directory, trouble) -> LOG.warn("no manifest in {}: {}", directory, trouble));
        return new CheckpointReader(
                context,
                storage,
                checkpoint,
                context.longAccumulator("checkpoint partitions degraded"),
                context.longAccumulator("checkpoint units damaged"));
    }

    /**
     * Returns the rows. Each action reads the files.
     *
     * @throws UnitsException if the checkpoint has elements, or rows in the layout of another Spark, or too few directories are named
     */
    public Dataset<Row> rows(SparkSession session) throws UnitsException {
        checkpoint.requireEnough();
        Manifest manifest = checkpoint.manifest();
        if (!(manifest.content() instanceof Content.Rows rows)) {
            throw new UnitsException("checkpoint " + manifest.id()
                    + " must have the rows of a Dataset, got elements of an RDD: read it with"
                    + " ErasureCodedCheckpoint.read(JavaSparkContext, directories)");
        }
        String current = RowLayout.of(context.version());
        if (!rows.layout().equals(current)) {
            throw new UnitsException(
                    "the rows of a checkpoint must have the layout of this Spark, " + current + ", got " + rows.layout()
                            + " in checkpoint " + manifest.id() + ", written by Spark " + manifest.sparkVersion()
                            + ": read it there, and save the rows in a format such as Parquet");
        }
        JavaRDD<InternalRow> partitions = partitions(new RowFormat(rows.schema(), manifest.compression()));
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .internalCreateDataFrame(partitions.rdd(), rows.schema(), false);
    }

    /**
     * Returns the elements. Each action reads the files.
     *
     * @throws UnitsException if the checkpoint has rows, or elements of another serialiser, or too few directories are named
     */
    public JavaRDD<Object> elements() throws UnitsException {
        checkpoint.requireEnough();
        Manifest manifest = checkpoint.manifest();
        if (!(manifest.content() instanceof Content.Elements elements)) {
            throw new UnitsException("checkpoint " + manifest.id()
                    + " must have elements of an RDD, got the rows of a Dataset: read it with"
                    + " ErasureCodedCheckpoint.read(SparkSession, directories)");
        }
        String current = ElementLayout.of(context.conf(), context.version());
        if (!elements.layout().equals(current)) {
            throw new UnitsException(
                    "the elements of a checkpoint must be those of this application's serialiser, " + current + ", got "
                            + elements.layout() + " in checkpoint " + manifest.id()
                            + ": start the application with the same serialiser and settings");
        }
        return partitions(new ElementFormat(manifest.compression()));
    }

    private <T> JavaRDD<T> partitions(Format<T> format) {
        return parts(context, checkpoint.manifest())
                .mapPartitions(
                        new PartReader<>(storage, checkpoint.layout(), format, degradedPartitions, damagedUnits));
    }

    /** The checkpoint's partitions, one in each partition of an RDD. */
    static JavaRDD<Part> parts(SparkContext context, Manifest manifest) {
        List<byte[]> parts = manifest.parts().stream().map(Serialised::write).toList();
        return JavaSparkContext.fromSparkContext(context)
                .parallelize(parts, Math.max(1, parts.size()))
                .map(Serialised::<Part>read);
    }
}
