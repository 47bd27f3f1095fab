/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.SessionFiles;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.spark.job.DurableFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A trained model, and its form as files in a folder of any Hadoop file system:
 *
 * <pre>
 * rows/         Parquet: id BIGINT, row ARRAY&lt;FLOAT&gt;, the embedding rows; ids as Tables counts them
 * network/      Parquet: name STRING, offset INT, values ARRAY&lt;FLOAT&gt;, the matrices (outputs, inputs) and biases
 * network.onnx  the same networks, to run: inputs (samples, dense numbers + sums of rows by table) → probability (samples, 1)
 * encoding/     how a table's columns become ids, if the model was trained with a table: see {@link FeatureEncoding}
 * model.json    the shape; a folder with it is complete
 * scoring.onnx  networks and tables: inputs (samples, dense numbers + number of the row by table) → probability (samples, 1);
 *               written after all others, and only if the tables have at most 256 MiB and an eighth of the driver's heap:
 *               see {@link #scoring}
 * </pre>
 *
 * @param shape architecture of the model
 * @param network parameters of the networks
 * @param rows embedding rows, with the columns of {@link #ROWS}; each action reads them again
 */
@PublicApi
public record TrainedModel(DlrmShape shape, float[] network, Dataset<Row> rows) {
    /** The columns of the embedding rows. */
    public static final StructType ROWS = StructType.fromDDL("id BIGINT NOT NULL, row ARRAY<FLOAT> NOT NULL");

    private static final Logger LOG = LoggerFactory.getLogger(TrainedModel.class);
    private static final String ENCODING = "encoding";
    /**
     * What is written to see whether it can be. A driver that dies meanwhile leaves it behind. Spark warns of paths that begin with an
     * underscore.
     */
    private static final String PROBE = "paritas-probe";
    /** Most bytes of tables that are written into {@code scoring.onnx} unasked. */
    private static final long SMALL = 256L << 20;
    /** The same as a part of the driver's heap, which has the tables four times when the file is made. */
    private static final int PART_OF_HEAP = 8;
    /** Most bytes of tables in one ONNX file, which is a protocol buffer of less than 2 GiB. */
    private static final long MOST = 2_000_000_000;
    /** From here on a float32 is not every whole number. */
    private static final long EXACT = 1L << 24;

    private static final StructType NETWORK =
            StructType.fromDDL("name STRING NOT NULL, offset INT NOT NULL, values ARRAY<FLOAT> NOT NULL");

    /** @throws IllegalArgumentException if the number of parameters is wrong, or the rows have other columns */
    public TrainedModel {
        if (network.length != shape.parameterCount()) {
            throw new IllegalArgumentException(
                    "the networks must have " + shape.parameterCount() + " parameters, got " + network.length);
        }
        if (!rows.schema().catalogString().equals(ROWS.catalogString())) {
            throw new IllegalArgumentException("embedding rows must be " + ROWS.catalogString() + ", got "
                    + rows.schema().catalogString());
        }
    }

    /**
     * Writes the model.
     *
     * @param folder new or empty folder
     * @throws FileAlreadyExistsException if the folder is not empty
     */
    public void write(String folder) throws IOException {
        write(folder, Optional.empty());
    }

    /**
     * Writes the model, and how tables were encoded for it.
     *
     * @param folder new or empty folder
     * @throws FileAlreadyExistsException if the folder is not empty
     * @throws IOException if it cannot be written, or the driver does not find there what executors wrote
     */
    public void write(String folder, Optional<FeatureEncoding> encoding) throws IOException {
        SparkSession session = rows.sparkSession();
        requireEmpty(session, folder);
        Path path = new Path(folder);
        FileSystem files = SessionFiles.of(session, path);
        rows.write().parquet(new Path(path, "rows").toString());
        long written = rows(session, path).count();
        if (written != shape.tables().rows()) {
            throw new IOException("a model must have " + shape.tables().rows() + " rows, " + new Path(path, "rows")
                    + " has " + written
                    + ": name a folder that the driver shares with the executors, which write the rows");
        }
        parameters().coalesce(1).write().parquet(new Path(path, "network").toString());
        write(
                files,
                new Path(path, "network.onnx"),
                OnnxNetwork.of(shape, network).toModelFile().bytes());
        if (encoding.isPresent()) {
            encoding.get().write(session, new Path(path, ENCODING).toString());
        }
        Path descriptor = new Path(path, "model.json");
        if (files.exists(descriptor)) {
            throw new FileAlreadyExistsException("a folder must take one model, " + folder
                    + " got another one meanwhile: write each into a folder of its own");
        }
        DurableFiles.write(files, descriptor, ShapeJson.encode(shape));
        if (bytes() <= Math.min(SMALL, Runtime.getRuntime().maxMemory() / PART_OF_HEAP) && rowsAreNumbers()) {
            new TrainedModel(shape, network, rows(session, path))
                    .tryToWriteScoring(files, new Path(path, "scoring.onnx"));
        }
    }

    /** Whatever happens, the model itself is written. */
    private void tryToWriteScoring(FileSystem files, Path path) {
        try {
            write(files, path, scoring());
        } catch (Exception | OutOfMemoryError e) { // Spark throws checked exceptions that it does not declare
            LOG.warn("cannot write {}; the model is complete without it: predict with the model itself", path, e);
            try {
                files.delete(path, false);
            } catch (IOException left) {
                LOG.warn("cannot delete {}, which may be incomplete: delete it", path, left);
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Checks that a model can be written into a folder, by the driver and by an executor: before a training, whose model would be
     * lost. What it writes there it deletes.
     *
     * @throws FileAlreadyExistsException if the folder is not empty
     * @throws IOException if it cannot be written, or the driver does not see what an executor writes there
     */
    public static void requireWritable(SparkSession session, String folder) throws IOException {
        requireEmpty(session, folder);
        Path path = new Path(folder);
        FileSystem files = SessionFiles.of(session, path);
        boolean isNew = !files.exists(path);
        Path probe = new Path(path, PROBE);
        long seen;
        try {
            session.range(1).write().mode(SaveMode.Overwrite).parquet(probe.toString());
            seen = SessionFiles.parquet(session, probe, StructType.fromDDL("id BIGINT"))
                    .count();
        } catch (Exception e) { // Spark throws checked exceptions that it does not declare
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new IOException(
                    "a model must be written into " + folder + ", that fails: " + e.getMessage()
                            + ": name a folder that the driver and the executors may write",
                    e);
        } finally {
            delete(files, isNew ? path : probe);
        }
        if (seen != 1) {
            throw new IOException("a model must be written into " + folder + ", and what an executor wrote there"
                    + " is not to be seen: name a folder that the driver shares with the executors");
        }
    }

    private static void delete(FileSystem files, Path probe) {
        try {
            files.delete(probe, true);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted: delete it", probe, e);
        }
    }

    private static void requireEmpty(SparkSession session, String folder) throws IOException {
        Path path = new Path(folder);
        FileSystem files = SessionFiles.of(session, path);
        if (files.exists(path) && files.listStatus(path, file -> !file.getName().equals(PROBE)).length > 0) {
            throw new FileAlreadyExistsException("the folder of a model must be new or empty, got " + folder
                    + ": delete its files, or name another");
        }
    }

    /**
     * Checks that the checkpoints of a training are not written into the folder of its model, which would not be empty then.
     *
     * @throws IllegalArgumentException if they are
     */
    public static void requireApart(SparkSession session, String folder, String checkpoints) throws IOException {
        if (SessionFiles.isWithin(session, checkpoints, folder)) {
            throw new IllegalArgumentException(
                    "checkpoints must not be in the folder of the model, which is to be empty when it is written, got "
                            + checkpoints + " in " + folder + ": name another folder for one of the two");
        }
    }

    /**
     * Reads a model.
     *
     * @throws java.io.FileNotFoundException if the folder has no complete model
     * @throws IOException if its files cannot be read
     */
    public static TrainedModel read(SparkSession session, String folder) throws IOException {
        Path path = new Path(folder);
        Path json = new Path(path, "model.json");
        DlrmShape shape;
        try (var in = SessionFiles.of(session, path).open(json)) {
            shape = ShapeJson.decode(in.readAllBytes());
        } catch (IllegalArgumentException e) {
            throw new IOException("cannot read " + json + ": " + e.getMessage(), e);
        }
        return new TrainedModel(shape, network(session, new Path(path, "network"), shape), rows(session, path));
    }

    private static float[] network(SparkSession session, Path folder, DlrmShape shape) throws IOException {
        List<Row> parameters = SessionFiles.reading(
                folder, () -> SessionFiles.parquet(session, folder, NETWORK).collectAsList());
        int found = parameters.stream()
                .mapToInt(parameter -> parameter.getList(2).size())
                .sum();
        if (found != shape.parameterCount()) {
            throw new IOException("the networks must have " + shape.parameterCount() + " parameters, " + folder
                    + " has " + found + ": copy the whole folder of the model");
        }
        float[] network = new float[found];
        for (Row parameter : parameters) {
            int offset = parameter.getInt(1);
            List<Float> values = parameter.getList(2);
            if (offset < 0 || offset > network.length - values.size()) {
                throw new IOException("the networks must have " + network.length + " parameters, " + folder + " has '"
                        + parameter.getString(0) + "' at " + offset + ": copy the whole folder of the model");
            }
            for (int i = 0; i < values.size(); i++) {
                network[offset + i] = values.get(i);
            }
        }
        return network;
    }

    private static Dataset<Row> rows(SparkSession session, Path folder) throws IOException {
        return SessionFiles.parquet(session, new Path(folder, "rows"), ROWS);
    }

    /**
     * Returns an ONNX file of the whole model, networks and tables, for {@code predict} in SQL, for serving, or for any other
     * runtime. Its input {@code inputs} (samples, dense numbers + tables) has the dense numbers of a sample and then, for each table,
     * the number of one row from 0; a number that the table does not have fails the prediction, but -1 is the last row, and so on, as
     * ONNX has it. Its output {@code probability} (samples, 1) is how likely a click is. The driver holds all rows meanwhile.
     *
     * @throws IllegalStateException if the tables have more than 2,000,000,000 bytes, or one has more than 2^24 rows, whose numbers
     *     float32 does not have; or if a row is missing
     */
    public byte[] scoring() {
        if (bytes() > MOST || !rowsAreNumbers()) {
            throw new IllegalStateException("an ONNX file has at most " + MOST + " bytes of tables, and " + EXACT
                    + " rows of each, got " + bytes() + " bytes of the tables " + shape.tables()
                    + ": use the model itself, whose rows are joined");
        }
        return OnnxNetwork.of(shape, network, TableRows.of(shape, rows))
                .toModelFile()
                .bytes();
    }

    private long bytes() {
        return Math.multiplyExact(shape.tables().rows(), (long) shape.dimension() * Float.BYTES);
    }

    private boolean rowsAreNumbers() {
        Tables tables = shape.tables();
        return IntStream.range(0, tables.count()).allMatch(table -> tables.rows(table) <= EXACT);
    }

    /**
     * Reads how tables were encoded for a model; empty if it was trained with samples.
     *
     * @throws IOException if it cannot be read
     */
    public static Optional<FeatureEncoding> encoding(SparkSession session, String folder) throws IOException {
        return FeatureEncoding.read(session, new Path(folder, ENCODING).toString());
    }

    /**
     * Returns the schema of what {@link #predict} returns.
     *
     * @param what has the schema, for the message
     * @throws IllegalArgumentException if a column has the name of a result
     */
    public static StructType predicted(String what, StructType schema) {
        return Prediction.predicted(what, schema);
    }

    /**
     * Predicts: returns the columns of a Dataset, followed by {@code logit FLOAT} and {@code probability FLOAT}. It joins the
     * samples with their rows, in general with a shuffle of both. Executors need LibTorch. A task fails if a sample has an id
     * without a row, nulls, or another number of dense numbers.
     *
     * @param samples samples with the columns {@code dense} and {@code categorical} of {@link
     *     io.paritas.inference.recommend.data.Samples}; a {@code label} is not needed
     * @throws IllegalArgumentException if one of the two is missing, or a column has the name of a result
     */
    public Dataset<Row> predict(Dataset<?> samples) {
        return new Prediction(this).of(samples);
    }

    private Dataset<Row> parameters() {
        List<Row> parameters = shape.parameters().stream()
                .map(parameter -> RowFactory.create(
                        parameter.name(),
                        parameter.offset(),
                        Arrays.copyOfRange(network, parameter.offset(), parameter.offset() + parameter.length())))
                .toList();
        return rows.sparkSession().createDataset(parameters, Encoders.row(NETWORK));
    }

    private static void write(FileSystem files, Path path, byte[] bytes) throws IOException {
        try (FSDataOutputStream out = files.create(path, false)) {
            out.write(bytes);
            DurableFiles.sync(out);
        }
    }
}
