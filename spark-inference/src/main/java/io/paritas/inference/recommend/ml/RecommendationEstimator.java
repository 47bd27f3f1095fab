/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.ml;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.CriteoLogs;
import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.data.SplitSamples;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingDefaults;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * An estimator that trains a recommendation model with {@link RecommendationTrainer} and writes it into a folder. Samples have
 * the columns of {@link Samples}; or, if {@code denseColumns} and {@code categoricalColumns} are set, those columns of a table, which
 * {@link FeatureEncoding} encodes. Samples are read once and trained on in an order of their own ({@link SplitSamples}), so that
 * the Dataset may come in another order when a part of it is computed again. Not thread-safe, as stages of Spark ML are.
 */
@PublicApi
public final class RecommendationEstimator extends RecommendationParams implements DefaultParamsWritable {
    private static final long serialVersionUID = 1;

    private final Param<String> output;
    private final IntArrayParam tables;
    private final IntParam denseFeatures;
    private final IntParam dimension;
    private final IntArrayParam bottom;
    private final IntArrayParam top;
    private final Param<String> interaction;
    private final IntParam servers;
    private final IntParam k;
    private final IntParam r;
    private final IntParam workers;
    private final IntParam batch;
    private final IntParam epochs;
    private final DoubleParam rowLearningRate;
    private final DoubleParam networkLearningRate;
    private final LongParam seed;

    /** An estimator with a random uid. */
    public RecommendationEstimator() {
        this(Identifiable$.MODULE$.randomUID("recommendation"));
    }

    /** An estimator with this uid. */
    public RecommendationEstimator(String uid) {
        super(uid);
        output = new Param<>(uid, "output", "new folder for the model, of any Hadoop file system", String.class);
        tables = new IntArrayParam(
                this, "tables", "rows of each embedding table; one number for all columns of a table");
        denseFeatures = new IntParam(this, "denseFeatures", "dense numbers of a sample");
        dimension = new IntParam(this, "dimension", "numbers in an embedding row");
        bottom = new IntArrayParam(this, "bottom", "outputs of the bottom network's layers");
        top = new IntArrayParam(this, "top", "outputs of the top network's layers but the last");
        interaction = new Param<>(uid, "interaction", "concatenation or dot", String.class);
        servers = new IntParam(this, "servers", "parameter servers; each needs a slot, and so does a spare");
        k = new IntParam(this, "k", "rows of a parity; with r, no more than servers");
        r = new IntParam(this, "r", "parities of k rows, 1 or 2: servers that may fail at once");
        workers = new IntParam(this, "workers", "tasks that train at once");
        batch = new IntParam(this, "batch", "samples in a batch");
        epochs = new IntParam(this, "epochs", "passes over the samples");
        rowLearningRate = new DoubleParam(this, "rowLearningRate", "learning rate of the embedding rows");
        networkLearningRate = new DoubleParam(this, "networkLearningRate", "learning rate of the networks");
        seed = new LongParam(this, "seed", "seed of the initial parameters");
        setDefault(denseFeatures, CriteoLogs.DENSE);
        setDefault(dimension, TrainingDefaults.DIMENSION);
        setDefault(bottom, new int[] {64, TrainingDefaults.DIMENSION});
        setDefault(top, new int[] {64, 32});
        setDefault(interaction, "concatenation");
        setDefault(servers, TrainingDefaults.SERVERS);
        setDefault(k, TrainingDefaults.K);
        setDefault(r, TrainingDefaults.R);
        setDefault(workers, 1);
        setDefault(batch, TrainingDefaults.BATCH);
        setDefault(epochs, 1);
        setDefault(rowLearningRate, TrainingDefaults.ROW_RATE);
        setDefault(networkLearningRate, TrainingDefaults.NETWORK_RATE);
        setDefault(seed, 1L);
    }

    /** New folder for the model, of any Hadoop file system. */
    public Param<String> output() {
        return output;
    }

    /** Rows of each embedding table. */
    public IntArrayParam tables() {
        return tables;
    }

    /** Dense numbers of a sample; 13 by default. */
    public IntParam denseFeatures() {
        return denseFeatures;
    }

    /** Numbers in an embedding row; {@value TrainingDefaults#DIMENSION} by default. */
    public IntParam dimension() {
        return dimension;
    }

    /** Outputs of the bottom network's layers; 64 and the dimension by default. */
    public IntArrayParam bottom() {
        return bottom;
    }

    /** Outputs of the top network's layers but the last; 64 and 32 by default. */
    public IntArrayParam top() {
        return top;
    }

    /** {@code concatenation} (the default) or {@code dot}. */
    public Param<String> interaction() {
        return interaction;
    }

    /** Parameter servers; {@value TrainingDefaults#SERVERS} by default. */
    public IntParam servers() {
        return servers;
    }

    /** Rows of a parity; with r, no more than servers; {@value TrainingDefaults#K} by default. */
    public IntParam k() {
        return k;
    }

    /** Parities of k rows, 1 or 2: so many servers may fail at once; {@value TrainingDefaults#R} by default. */
    public IntParam r() {
        return r;
    }

    /** Tasks that train at once; 1 by default. */
    public IntParam workers() {
        return workers;
    }

    /** Samples in a batch; {@value TrainingDefaults#BATCH} by default. */
    public IntParam batch() {
        return batch;
    }

    /** Passes over the samples; 1 by default. */
    public IntParam epochs() {
        return epochs;
    }

    /** Learning rate of the embedding rows; {@value TrainingDefaults#ROW_RATE} by default. */
    public DoubleParam rowLearningRate() {
        return rowLearningRate;
    }

    /** Learning rate of the networks; {@value TrainingDefaults#NETWORK_RATE} by default. */
    public DoubleParam networkLearningRate() {
        return networkLearningRate;
    }

    /** Seed of the initial parameters; 1 by default. */
    public LongParam seed() {
        return seed;
    }

    /** New folder for the model, of any Hadoop file system. */
    public RecommendationEstimator setOutput(String value) {
        return with(output, value);
    }

    /** Rows of each embedding table. */
    public RecommendationEstimator setTables(int... value) {
        return with(tables, value);
    }

    /** Dense numbers of a sample; 13 by default. */
    public RecommendationEstimator setDenseFeatures(int value) {
        return with(denseFeatures, value);
    }

    /** Numbers in an embedding row; {@value TrainingDefaults#DIMENSION} by default. */
    public RecommendationEstimator setDimension(int value) {
        return with(dimension, value);
    }

    /** Outputs of the bottom network's layers; 64 and the dimension by default. */
    public RecommendationEstimator setBottom(int... value) {
        return with(bottom, value);
    }

    /** Outputs of the top network's layers but the last; 64 and 32 by default. */
    public RecommendationEstimator setTop(int... value) {
        return with(top, value);
    }

    /** {@code concatenation} (the default) or {@code dot}. */
    public RecommendationEstimator setInteraction(String value) {
        return with(interaction, value);
    }

    /** Parameter servers; {@value TrainingDefaults#SERVERS} by default. */
    public RecommendationEstimator setServers(int value) {
        return with(servers, value);
    }

    /** Rows of a parity; with r, no more than servers; {@value TrainingDefaults#K} by default. */
    public RecommendationEstimator setK(int value) {
        return with(k, value);
    }

    /** Parities of k rows, 1 or 2: so many servers may fail at once; {@value TrainingDefaults#R} by default. */
    public RecommendationEstimator setR(int value) {
        return with(r, value);
    }

    /** Tasks that train at once; 1 by default. */
    public RecommendationEstimator setWorkers(int value) {
        return with(workers, value);
    }

    /** Samples in a batch; {@value TrainingDefaults#BATCH} by default. */
    public RecommendationEstimator setBatch(int value) {
        return with(batch, value);
    }

    /** Passes over the samples; 1 by default. */
    public RecommendationEstimator setEpochs(int value) {
        return with(epochs, value);
    }

    /** Learning rate of the embedding rows; {@value TrainingDefaults#ROW_RATE} by default. */
    public RecommendationEstimator setRowLearningRate(double value) {
        return with(rowLearningRate, value);
    }

    /** Learning rate of the networks; {@value TrainingDefaults#NETWORK_RATE} by default. */
    public RecommendationEstimator setNetworkLearningRate(double value) {
        return with(networkLearningRate, value);
    }

    /** Seed of the initial parameters; 1 by default. */
    public RecommendationEstimator setSeed(long value) {
        return with(seed, value);
    }

    private static List<Integer> list(int[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    private <T> T required(Param<T> param) {
        if (!isDefined(param)) {
            throw new IllegalArgumentException(param.name() + " must be set: " + param.doc());
        }
        return getOrDefault(param);
    }

    private Interaction pairs() {
        String how = getOrDefault(interaction);
        return Arrays.stream(Interaction.values())
                .filter(value -> value.name().equalsIgnoreCase(how.strip()))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(
                        "interaction must be concatenation or dot, got '" + how.toLowerCase(Locale.ROOT) + "'"));
    }

    private long[] rows() {
        return IntStream.of(required(tables)).asLongStream().toArray();
    }

    private RecommendationTrainer trainer(int dense, Tables sizes) {
        DlrmShape shape = new DlrmShape(
                dense,
                isSet(bottom) ? list(getOrDefault(bottom)) : List.of(64, number(dimension)),
                sizes,
                number(dimension),
                pairs(),
                list(getOrDefault(top)));
        RecommendationTrainer trainer = RecommendationTrainer.of(shape)
                .servers(number(servers))
                .redundancy(Redundancy.coded(number(k), number(r)))
                .rowOptimizer(optimizer(rowLearningRate))
                .networkOptimizer(optimizer(networkLearningRate))
                .workers(number(workers))
                .batch(number(batch))
                .epochs(number(epochs))
                .seed((long) getOrDefault(seed));
        if (isDefined(checkpoints())) {
            String folder = getOrDefault(checkpoints());
            trainer.checkpoints(CheckpointPolicy.every(folder, Duration.ofSeconds(number(checkpointSeconds()))));
            if ((boolean) getOrDefault(resume())) {
                trainer.resume(folder);
            }
        }
        return trainer;
    }

    private Optimizer optimizer(DoubleParam rate) {
        return Optimizer.of(getOrDefault(optimizer()), (float) (double) getOrDefault(rate));
    }

    /** Checks all params; a vocabulary's size is not known yet. */
    private void checkParams() {
        required(output);
        checkNumbers();
        outlined().check();
        if ((boolean) getOrDefault(resume())) {
            required(checkpoints());
        }
    }

    /** The trainer, but for the size of a vocabulary. */
    private RecommendationTrainer outlined() {
        Optional<FeatureColumns> columns = columns();
        if (columns.isEmpty()) {
            return trainer(number(denseFeatures), Tables.of(rows()));
        }
        long[] rows = number(vocabulary()) > 0 ? new long[] {1} : rows();
        return trainer(columns.get().dense().size(), tables(columns.get(), rows));
    }

    /**
     * Returns the schema with the columns that the model adds.
     *
     * @throws IllegalArgumentException if a param is missing or wrong
     */
    @Override
    public StructType transformSchema(StructType schema) {
        checkParams();
        return RecommendationModel.predicted(schema);
    }

    /**
     * Trains and writes the model.
     *
     * @throws IllegalArgumentException if a param is missing or wrong, or the Dataset has other columns
     * @throws IllegalStateException if there are too few slots, or training fails
     */
    @Override
    public RecommendationModel fit(Dataset<?> dataset) {
        transformSchema(dataset.schema());
        columns().ifPresentOrElse(columns -> columns.check(dataset), () -> Samples.of(dataset));
        requireReady(dataset.sparkSession());
        Optional<FeatureEncoding> encoding =
                columns().map(columns -> encoding(columns, dataset, number(vocabulary()) > 0 ? new long[0] : rows()));
        if (encoding.isPresent()) {
            FeatureEncoding how = encoding.get();
            train(how.columns().dense().size(), how.tables(), how.samples(dataset), encoding);
        } else {
            train(number(denseFeatures), Tables.of(rows()), dataset, encoding);
        }
        return new RecommendationModel(uid()).setParent(this).setFolder(required(output));
    }

    private void requireReady(SparkSession session) {
        try {
            outlined().requireReady(session, required(output));
        } catch (IOException e) {
            throw cannotWrite(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted during training", e);
    }

    private UncheckedIOException cannotWrite(IOException e) {
        return new UncheckedIOException("cannot write the model to " + required(output) + ": " + e.getMessage(), e);
    }

    private void train(int dense, Tables sizes, Dataset<?> samples, Optional<FeatureEncoding> encoding) {
        RecommendationTrainer trainer = trainer(dense, sizes);
        try (SplitSamples split =
                SplitSamples.of(samples, (double) getOrDefault(heldOut()), number(workers), dense, sizes)) {
            trainer.fingerprint(split.counts().fingerprint());
            split.evaluation().ifPresent(heldOut -> trainer.evaluation(heldOut, 1));
            if (number(patience()) > 0) {
                trainer.stopEarly(number(patience()));
            }
            write(trainer, split.training(), encoding);
        }
    }

    private void write(RecommendationTrainer trainer, Dataset<?> samples, Optional<FeatureEncoding> encoding) {
        try (Training training = trainer.train(samples)) {
            training.model().write(required(output), encoding);
        } catch (IOException e) {
            throw cannotWrite(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public RecommendationEstimator copy(ParamMap extra) {
        return this.<RecommendationEstimator>defaultCopy(extra);
    }

    /** A reader of saved stages. */
    public static MLReader<RecommendationEstimator> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads a saved stage. */
    public static RecommendationEstimator load(String path) {
        return read().load(path);
    }
}
