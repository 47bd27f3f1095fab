/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.file.UnitsException;
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

/**
 * Reads a checkpoint, on the driver.
 *
 * @param context where it is wanted
 * @param storage the file systems
 * @param checkpoint what was found
 * @param degradedPartitions how many partitions were read with something missing or damaged
 * @param damagedUnits how many units of theirs were found missing or damaged
 */
public record CheckpointReader(
        SparkContext context,
        Storage storage,
        Checkpoint checkpoint,
        LongAccumulator degradedPartitions,
        LongAccumulator damagedUnits) {
    private static final System.Logger LOG = System.getLogger(CheckpointReader.class.getName());

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
        checkpoint
                .damage()
                .forEach((directory, trouble) ->
                        LOG.log(System.Logger.Level.WARNING, "No manifest in " + directory + ": " + trouble));
        return new CheckpointReader(
                context,
                storage,
                checkpoint,
                context.longAccumulator("checkpoint partitions degraded"),
                context.longAccumulator("checkpoint units damaged"));
    }

    /**
     * The rows. Each action reads them anew.
     *
     * @throws UnitsException if there are none, or those of a Spark whose rows are others
     */
    public Dataset<Row> rows(SparkSession session) throws UnitsException {
        Manifest manifest = checkpoint.manifest();
        if (!(manifest.content() instanceof Content.Rows rows)) {
            throw new UnitsException("Checkpoint " + manifest.id()
                    + " has the elements of an RDD, not rows: read it with ErasureCodedCheckpoint.read(JavaSparkContext,"
                    + " directories)");
        }
        String current = RowLayout.of(context.version());
        if (!rows.layout().equals(current)) {
            throw new UnitsException(
                    "A checkpoint is read by a Spark whose rows are laid out as those of the Spark that"
                            + " wrote it; checkpoint " + manifest.id() + " has " + rows.layout()
                            + ", written by Spark "
                            + manifest.sparkVersion() + ", and this is " + current
                            + ". Read it there, and save the rows in a format such as Parquet");
        }
        JavaRDD<InternalRow> partitions = partitions(new RowFormat(rows.schema(), manifest.compression()));
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .internalCreateDataFrame(partitions.rdd(), rows.schema(), false);
    }

    /**
     * The elements. Each action reads them anew.
     *
     * @throws UnitsException if there are none, or those of another serialiser
     */
    public JavaRDD<Object> elements() throws UnitsException {
        Manifest manifest = checkpoint.manifest();
        if (!(manifest.content() instanceof Content.Elements elements)) {
            throw new UnitsException("Checkpoint " + manifest.id()
                    + " has the rows of a Dataset, not elements: read it with ErasureCodedCheckpoint.read(SparkSession,"
                    + " directories)");
        }
        String current = ElementLayout.of(context.conf(), context.version());
        if (!elements.layout().equals(current)) {
            throw new UnitsException(
                    "The elements of a checkpoint are read by the serialiser that wrote them, with its settings; checkpoint "
                            + manifest.id() + " has those of " + elements.layout() + ", and this is " + current
                            + ". Start the application with the same");
        }
        return partitions(new ElementFormat(manifest.compression()));
    }

    private <T> JavaRDD<T> partitions(Format<T> format) {
        return parts(context, checkpoint.manifest())
                .mapPartitions(
                        new PartReader<>(storage, checkpoint.layout(), format, degradedPartitions, damagedUnits));
    }

    /** The checkpoint's partitions, each in a partition of its own. */
    static JavaRDD<Part> parts(SparkContext context, Manifest manifest) {
        return JavaSparkContext.fromSparkContext(context)
                .parallelize(manifest.parts(), Math.max(1, manifest.parts().size()));
    }
}
