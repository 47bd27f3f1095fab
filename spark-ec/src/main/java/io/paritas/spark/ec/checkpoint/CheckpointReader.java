/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.util.List;
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
 * @param session where the rows are wanted
 * @param storage the file systems
 * @param checkpoint what was found
 * @param degradedPartitions how many partitions were read with something missing or damaged
 * @param damagedUnits how many units of theirs were found missing or damaged
 */
public record CheckpointReader(
        SparkSession session,
        Storage storage,
        Checkpoint checkpoint,
        LongAccumulator degradedPartitions,
        LongAccumulator damagedUnits) {
    private static final System.Logger LOG = System.getLogger(CheckpointReader.class.getName());

    /**
     * Finds the checkpoint.
     *
     * @throws UnitsException if the directories have several, or one of another version, or of a Spark whose rows are others
     * @throws IOException if there is none
     */
    public static CheckpointReader of(SparkSession session, List<String> directories) throws IOException {
        Storage storage = Storage.of(session);
        Checkpoint checkpoint = Checkpoint.find(storage, Directories.qualified(storage, directories));
        checkRows(checkpoint.manifest(), session.version());
        checkpoint
                .damage()
                .forEach((directory, trouble) ->
                        LOG.log(System.Logger.Level.WARNING, "No manifest in " + directory + ": " + trouble));
        return new CheckpointReader(
                session,
                storage,
                checkpoint,
                session.sparkContext().longAccumulator("checkpoint partitions degraded"),
                session.sparkContext().longAccumulator("checkpoint units damaged"));
    }

    private static void checkRows(Manifest manifest, String version) throws UnitsException {
        String current = RowLayout.of(version);
        if (!manifest.rowLayout().equals(current)) {
            throw new UnitsException(
                    "A checkpoint is read by a Spark whose rows are laid out as those of the Spark that"
                            + " wrote it; checkpoint " + manifest.id() + " has " + manifest.rowLayout()
                            + ", written by Spark "
                            + manifest.sparkVersion() + ", and this is " + current
                            + ". Read it there, and save the rows in a format such as Parquet");
        }
    }

    /** The rows. Each action reads them anew. */
    public Dataset<Row> rows() {
        Manifest manifest = checkpoint.manifest();
        RowFormat format = new RowFormat(manifest.schema(), manifest.compression());
        PartReader reader = new PartReader(storage, checkpoint.layout(), format, degradedPartitions, damagedUnits);
        JavaRDD<InternalRow> rows = parts(session, manifest).mapPartitions(reader);
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .internalCreateDataFrame(rows.rdd(), manifest.schema(), false);
    }

    /** The checkpoint's partitions, each in a partition of its own. */
    static JavaRDD<Part> parts(SparkSession session, Manifest manifest) {
        return JavaSparkContext.fromSparkContext(session.sparkContext())
                .parallelize(manifest.parts(), Math.max(1, manifest.parts().size()));
    }
}
