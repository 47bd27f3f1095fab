/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.spark.input.InputFormat;
import io.paritas.inference.spark.plan.Models;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClaimedFolder;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Training;
import io.paritas.inference.train.TrainingFiles;
import io.paritas.settings.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An estimator that trains, in the driver, models which protect or speed up a deployed model, and writes them into a
 * folder. Defaults are those of {@code paritas train}.
 *
 * @param <M> the stage that answers with the trained models
 * @param <T> this class
 */
abstract class ModelTrainer<M extends InferenceModel<M>, T extends ModelTrainer<M, T>> extends Estimator<M>
        implements DefaultParamsWritable {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTrainer.class);
    /** Groups that tell an accuracy to some hundredths. */
    private static final int ENOUGH_GROUPS = 100;

    private final String uid;
    private final CallParams call;
    private final Param<String> labelCol;
    private final Param<String> output;
    private final BooleanParam overwrite;
    private final IntParam maxRows;
    private final IntParam epochs;
    private final IntParam batch;
    private final Param<String> optimizer;
    private final DoubleParam learningRate;
    private final DoubleParam weightDecay;
    private final IntParam decayEvery;
    private final IntParam patience;
    private final LongParam seed;
    private final Param<String> device;
    private final IntParam threads;

    ModelTrainer(String uid, int defaultEpochs) {
        this.uid = uid;
        call = CallParams.of(this, "path of the deployed model");
        labelCol = CallParams.text(this, "labelCol", "numeric column with the true classes, counted from 0");
        output = CallParams.text(this, "output", "folder of the driver where the trained models go");
        overwrite =
                new BooleanParam(this, "overwrite", "whether to replace the result of an earlier training in output");
        maxRows = new IntParam(this, "maxRows", "most rows to collect into the driver");
        epochs = new IntParam(this, "epochs", "most passes over the rows");
        batch = new IntParam(this, "batch", "groups of rows in a batch");
        optimizer = CallParams.text(this, "optimizer", words(TrainOptions.Method.class));
        learningRate = new DoubleParam(this, "learningRate", "learning rate of the first epoch");
        weightDecay = new DoubleParam(this, "weightDecay", "factor of the L2 regularisation");
        decayEvery = new IntParam(this, "decayEvery", "epochs after which the learning rate is halved; 0 for never");
        patience =
                new IntParam(this, "patience", "epochs without a better one after which training stops; 0 for never");
        seed = new LongParam(this, "seed", "seed of all random numbers");
        device = CallParams.text(this, "device", "where to train: " + words(Device.class));
        threads = new IntParam(this, "threads", "threads of one operation of the training");
        TrainOptions usual = TrainOptions.DEFAULT;
        setDefault(overwrite, false);
        setDefault(maxRows, 100_000);
        setDefault(epochs, defaultEpochs);
        setDefault(optimizer, lower(usual.method()));
        setDefault(learningRate, usual.learningRate());
        setDefault(weightDecay, usual.weightDecay());
        setDefault(decayEvery, usual.decayEvery());
        setDefault(patience, usual.patience());
        setDefault(seed, usual.seed());
        setDefault(device, lower(usual.device()));
        setDefault(threads, usual.threads());
    }

    /** Number of rows of a group, which are trained on together. Also checks the params of the subclass. */
    abstract int group();

    /** Default number of groups in a batch. */
    abstract int usualBatch();

    /** Whether training needs labels. */
    abstract boolean needsLabels();

    /** What the training writes. */
    abstract TrainingFiles files();

    /** Settings that the estimator decides, so that they may not be given as options as well. */
    abstract Map<Setting<?>, Optional<String>> ownSettings();

    /** Refuses a training that cannot give what it is for, before any row is collected. */
    abstract void check(DeployedModel deployed, TrainOptions training);

    /** The bundle to write, and the trainings that it is from. */
    record Trained(Bundle bundle, List<Training> trainings) {}

    /** Trains and measures. */
    abstract Trained train(DeployedModel deployed, TrainingData data, Work work);

    /** Creates the stage that answers with the trained models; the caller copies the shared params into it. */
    abstract M answering(String stage);

    /** Points a stage to the written descriptor. */
    abstract M referring(M model, Path descriptor);

    /** How to train, where to write, and whom to tell. */
    record Work(TrainOptions options, ModelOptions engine, Path folder, Progress progress) {}

    @Override
    public String uid() {
        return uid;
    }

    public Param<String> model() {
        return call.model();
    }

    public StringArrayParam inputCols() {
        return call.inputCols();
    }

    public Param<String> outputCol() {
        return call.outputCol();
    }

    public Param<String> predictionCol() {
        return call.predictionCol();
    }

    public StringArrayParam options() {
        return call.options();
    }

    public Param<String> labelCol() {
        return labelCol;
    }

    public Param<String> output() {
        return output;
    }

    public BooleanParam overwrite() {
        return overwrite;
    }

    public IntParam maxRows() {
        return maxRows;
    }

    public IntParam epochs() {
        return epochs;
    }

    public IntParam batch() {
        return batch;
    }

    public Param<String> optimizer() {
        return optimizer;
    }

    public DoubleParam learningRate() {
        return learningRate;
    }

    public DoubleParam weightDecay() {
        return weightDecay;
    }

    public IntParam decayEvery() {
        return decayEvery;
    }

    public IntParam patience() {
        return patience;
    }

    public LongParam seed() {
        return seed;
    }

    public Param<String> device() {
        return device;
    }

    public IntParam threads() {
        return threads;
    }

    /** The deployed model, ONNX or TorchScript. */
    public T setModel(String path) {
        return with(model(), path);
    }

    /** The input columns: one with the whole input, or numeric columns with its values. */
    public T setInputCols(String... columns) {
        return with(inputCols(), columns);
    }

    /** Name of the column of answers that the trained stage adds; {@code answer} if it is not set. */
    public T setOutputCol(String column) {
        return with(outputCol(), column);
    }

    /** Name of another column of the trained stage, with the predicted class as evaluators expect it. */
    public T setPredictionCol(String column) {
        return with(predictionCol(), column);
    }

    /**
     * Options of the SQL function, each as {@code name=value}. Those that describe the input also apply to the
     * training.
     *
     * @throws IllegalArgumentException if an option is not name=value, is unknown, or is given twice
     */
    public T setOptions(String... options) {
        CallParams.checkOptions(options);
        return with(options(), options);
    }

    /** Name of the column of labels. Without labels, the deployed model's answers count as correct. */
    public T setLabelCol(String column) {
        return with(labelCol, column);
    }

    /** The folder on the driver for the trained models and their descriptor. */
    public T setOutput(String folder) {
        return with(output, folder);
    }

    public T setOverwrite(boolean replace) {
        return with(overwrite, replace);
    }

    public T setMaxRows(int rows) {
        return with(maxRows, rows);
    }

    public T setEpochs(int count) {
        return with(epochs, count);
    }

    public T setBatch(int groups) {
        return with(batch, groups);
    }

    public T setOptimizer(String name) {
        return with(optimizer, name);
    }

    public T setLearningRate(double rate) {
        return with(learningRate, rate);
    }

    public T setWeightDecay(double factor) {
        return with(weightDecay, factor);
    }

    public T setDecayEvery(int count) {
        return with(decayEvery, count);
    }

    public T setPatience(int count) {
        return with(patience, count);
    }

    public T setSeed(long value) {
        return with(seed, value);
    }

    /** Where to train: {@code auto}, {@code cpu} or {@code cuda}. Where the trained stage runs is an option. */
    public T setDevice(String name) {
        return with(device, name);
    }

    public T setThreads(int count) {
        return with(threads, count);
    }

    @SuppressWarnings("unchecked")
    final <V> T with(Param<V> param, V value) {
        set(param, value);
        return (T) this;
    }

    CallParams call() {
        return call;
    }

    final int number(IntParam param) {
        return (int) getOrDefault(param);
    }

    private TrainOptions training() {
        int groups = call.value(batch).map(value -> (int) value).orElseGet(this::usualBatch);
        return new TrainOptions(
                number(epochs),
                groups,
                word(TrainOptions.Method.class, optimizer),
                (double) getOrDefault(learningRate),
                (double) getOrDefault(weightDecay),
                number(decayEvery),
                number(patience),
                (long) getOrDefault(seed),
                word(Device.class, device),
                number(threads));
    }

    /**
     * The schema that the trained stage returns.
     *
     * @throws IllegalArgumentException if a param is missing or wrong, a column is missing, or a new one exists already
     */
    @Override
    public StructType transformSchema(StructType schema) {
        StructType answered = call.answered(schema, call.settings(ownSettings()));
        folder();
        group();
        training();
        if (number(maxRows) < 1 || number(maxRows) == Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "maxRows must be at least 1 and below " + Integer.MAX_VALUE + ", got " + number(maxRows));
        }
        if (needsLabels()) {
            call.required(labelCol);
        }
        call.value(labelCol).ifPresent(column -> requireClasses(schema, column));
        return answered;
    }

    private void requireClasses(StructType schema, String column) {
        call.requireColumn(schema, "labelCol", column);
        if (!(schema.apply(column).dataType() instanceof NumericType)) {
            throw new IllegalArgumentException("labelCol must be numeric, column '" + column + "' is "
                    + schema.apply(column).dataType().simpleString() + ": use a StringIndexer, in the order of the"
                    + " model's classes");
        }
    }

    /**
     * Collects the rows into the driver and trains there; logs every epoch. An interrupted training continues after its
     * last epoch when it is fitted again with the same rows in the same order.
     *
     * @throws IllegalArgumentException as {@link #transformSchema} does, or if there are too few or too many rows, or a
     *     row is not an input of the model
     * @throws IllegalStateException if another training writes into the output
     * @throws ModelException if LibTorch does not work here, or the model cannot be trained
     */
    @Override
    public M fit(Dataset<?> dataset) {
        transformSchema(dataset.schema());
        Path folder = folder();
        requireFree(folder);
        Map<Setting<?>, String> settings = call.settings(ownSettings());
        TrainOptions training = training();
        LibTorch.start(training.device(), training.threads());
        ModelFile file = ModelFile.read(Models.local(call.required(model())));
        ModelOptions engine = engine(file, settings, training.threads());
        Path descriptor;
        try (Model loaded = ModelEngines.load(file, engine)) {
            DeployedModel deployed = DeployedModel.of(file, loaded);
            check(deployed, training);
            try (ClaimedFolder claimed = files().claim(folder)) {
                requireFree(folder);
                TrainingData data = collect(dataset, loaded, settings);
                Trained trained = train(deployed, data, new Work(training, engine, folder, new LoggedProgress(uid)));
                descriptor = trained.bundle().write(folder);
                Training.deleteCheckpoints(trained.trainings());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the folder " + folder + ": " + e.getMessage(), e);
        }
        return referring(copyValues(answering(uid).setParent(this), ParamMap.empty()), descriptor);
    }

    private TrainingData collect(Dataset<?> dataset, Model model, Map<Setting<?>, String> settings) {
        List<String> inputs = Arrays.asList(call.required(inputCols()));
        InputFormat format = InputFormat.of(CallParams.texts(settings));
        CollectedRows rows = CollectedRows.of(
                new CollectedRows.Source(dataset, inputs, call.value(labelCol), number(maxRows)),
                model.input(),
                format,
                model.output().size());
        TrainingData data =
                TrainingData.of(rows, model, group(), training().seed(), "columns " + inputs + scaling(format));
        int groups = data.test().count() / group();
        if (groups < ENOUGH_GROUPS) {
            LOG.warn(
                    "{}: its accuracy is measured with {} groups of {} rows, which tell it roughly: {} need {} rows",
                    uid,
                    groups,
                    group(),
                    ENOUGH_GROUPS,
                    10L * group() * ENOUGH_GROUPS);
        }
        return data;
    }

    /** How the rows are scaled, of which their checksum says nothing; empty if they are not. */
    private static String scaling(InputFormat format) {
        String text = text(format);
        return text.equals(text(InputFormat.DEFAULT)) ? "" : text;
    }

    private static String text(InputFormat format) {
        return " scaled by " + format.scale() + ", mean " + format.mean() + ", std " + format.std() + ",";
    }

    private Path folder() {
        return CallParams.folder(output.name(), call.required(output));
    }

    private void requireFree(Path folder) {
        Optional<String> existing = (boolean) getOrDefault(overwrite) ? Optional.empty() : files().existing(folder);
        if (existing.isPresent()) {
            throw new IllegalArgumentException("output must have no " + existing.get() + " yet, " + folder
                    + " has one: choose another folder, or set overwrite");
        }
    }

    /** Options of the deployed model, which answers the training rows. */
    private static ModelOptions engine(ModelFile file, Map<Setting<?>, String> settings, int threads) {
        ModelOptions options = ModelOptions.DEFAULT
                .withEngine(CallParams.value(EngineSettings.NAME, settings))
                .withThreads(threads);
        return file.format() == ModelFormat.ONNX
                ? options
                : options.withInputShape(CallParams.value(InputSettings.SHAPE, settings));
    }

    @Override
    @SuppressWarnings("unchecked")
    public T copy(ParamMap extra) {
        return (T) this.<ModelTrainer<M, T>>defaultCopy(extra);
    }

    /** The constant that a param names; case does not matter. */
    final <E extends Enum<E>> E word(Class<E> words, Param<String> param) {
        String text = getOrDefault(param);
        return Arrays.stream(words.getEnumConstants())
                .filter(word -> word.name().equalsIgnoreCase(text.strip()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        param.name() + " must be one of " + words(words) + ", got '" + text + "'"));
    }

    static String words(Class<? extends Enum<?>> words) {
        return Arrays.stream(words.getEnumConstants()).map(ModelTrainer::lower).collect(Collectors.joining(", "));
    }

    static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
