/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.TrainedModel;
import io.paritas.settings.Setting;
import io.paritas.spark.ecrm.EcrmSettings;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.job.Interrupt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * A trainer of recommendation models on parameter servers. Workers are tasks, each with a partition of the samples, and update
 * the model asynchronously; servers are tasks as well, of which as many may be lost at a time as there are parities.
 *
 * <pre>{@code
 * try (Training training = RecommendationTrainer.of(shape).servers(5).redundancy(Redundancy.coded(4)).workers(8).train(samples)) {
 *     training.model().write("hdfs:///models/clicks");
 * }
 * }</pre>
 *
 * <p>Each batch is committed exactly once. If a worker is lost, Spark runs its task again, which continues with the first batch
 * that is not committed. With one worker, equal seeds and samples give equal bits, whichever servers are lost. Not thread-safe.
 */
@PublicApi
public final class RecommendationTrainer {
    private final DlrmShape shape;
    private int servers = TrainingDefaults.SERVERS;
    private Redundancy redundancy = Redundancy.coded(TrainingDefaults.K, TrainingDefaults.R);
    private Optimizer rowOptimizer = Optimizer.of(TrainingDefaults.OPTIMIZER, (float) TrainingDefaults.ROW_RATE);
    private Optimizer networkOptimizer =
            Optimizer.of(TrainingDefaults.OPTIMIZER, (float) TrainingDefaults.NETWORK_RATE);
    private Optional<InitialRows> rows = Optional.empty();
    private int batch = TrainingDefaults.BATCH;
    private int epochs = 1;
    private int workers = 1;
    private int threads = 1;
    private long seed = 1;
    private Optional<HostOptions> options = Optional.empty();
    private Optional<Duration> wait = Optional.empty();
    private Duration interval = Duration.ofSeconds(1);
    private Optional<Dataset<?>> evaluation = Optional.empty();
    private int evaluateEvery = 1;
    private int patience;
    private Optional<String> fingerprint = Optional.empty();
    private Optional<CheckpointPolicy> checkpoints = Optional.empty();
    private Optional<String> resumed = Optional.empty();
    private TrainingListener listener = TrainingListener.NONE;

    private RecommendationTrainer(DlrmShape shape) {
        this.shape = Objects.requireNonNull(shape, "shape");
    }

    /** Returns a trainer of models of this shape. */
    public static RecommendationTrainer of(DlrmShape shape) {
        return new RecommendationTrainer(shape);
    }

    /** Sets the number of servers; {@value TrainingDefaults#SERVERS} by default. */
    public RecommendationTrainer servers(int count) {
        servers = atLeastOne("servers", count);
        return this;
    }

    /** Sets the redundancy of the model on its servers; {@link Redundancy#coded} with k = {@value TrainingDefaults#K} by default. */
    public RecommendationTrainer redundancy(Redundancy how) {
        redundancy = Objects.requireNonNull(how, "redundancy");
        return this;
    }

    /** Sets the optimizer of the embedding rows; Adagrad with a learning rate of {@value TrainingDefaults#ROW_RATE} by default. */
    public RecommendationTrainer rowOptimizer(Optimizer optimizer) {
        rowOptimizer = Objects.requireNonNull(optimizer, "rowOptimizer");
        return this;
    }

    /** Sets the optimizer of the networks; Adagrad with a learning rate of {@value TrainingDefaults#NETWORK_RATE} by default. */
    public RecommendationTrainer networkOptimizer(Optimizer optimizer) {
        networkOptimizer = Objects.requireNonNull(optimizer, "networkOptimizer");
        return this;
    }

    /**
     * Sets the initial embedding rows; {@link InitialRows#of} with the seed by default.
     *
     * @throws IllegalArgumentException if their dimension is not that of the model
     */
    public RecommendationTrainer initialRows(InitialRows initial) {
        if (initial.dimension() != shape.dimension()) {
            throw new IllegalArgumentException(
                    "initial rows must have " + shape.dimension() + " numbers, got " + initial.dimension());
        }
        rows = Optional.of(initial);
        return this;
    }

    /** Sets the samples of a batch; {@value TrainingDefaults#BATCH} by default. */
    public RecommendationTrainer batch(int samples) {
        batch = atLeastOne("batch", samples);
        return this;
    }

    /** Sets the number of passes over the samples; 1 by default. */
    public RecommendationTrainer epochs(int count) {
        epochs = atLeastOne("epochs", count);
        return this;
    }

    /** Sets the number of tasks that train at once; 1 by default. */
    public RecommendationTrainer workers(int count) {
        workers = atLeastOne("workers", count);
        return this;
    }

    /** Sets the threads of a worker's networks; 1 by default, as a task has one core. */
    public RecommendationTrainer threads(int count) {
        threads = atLeastOne("threads", count);
        return this;
    }

    /** Sets the seed of the initial parameters; 1 by default. */
    public RecommendationTrainer seed(long number) {
        seed = number;
        return this;
    }

    /** Sets how servers run; {@link HostOptions#of} Spark's settings by default. */
    public RecommendationTrainer options(HostOptions hostOptions) {
        options = Optional.of(hostOptions);
        return this;
    }

    /**
     * Sets how long to wait for slots, and then for servers to start; by default what {@code spark.paritas.ecrm.slotsTimeout} and {@code
     * spark.paritas.ecrm.startTimeout} say.
     */
    public RecommendationTrainer waitFor(Duration time) {
        wait = Optional.of(atLeastOneMilli("waitFor", time));
        return this;
    }

    /** Sets the time between points of the curve; 1 second by default. */
    public RecommendationTrainer interval(Duration time) {
        interval = atLeastOneMilli("interval", time);
        return this;
    }

    /**
     * Evaluates the model on other samples during training. Never by default. {@link #train} reads them once before, to refuse what
     * could not be evaluated.
     *
     * @param everyEpochs epochs between two evaluations, at least 1; the last epoch is always followed by one
     */
    public RecommendationTrainer evaluation(Dataset<?> samples, int everyEpochs) {
        Samples.of(samples);
        evaluation = Optional.of(samples);
        evaluateEvery = atLeastOne("everyEpochs", everyEpochs);
        return this;
    }

    /**
     * Ends the training after so many evaluations in a row without a better AUC. Never by default. The model is that after the last
     * epoch.
     *
     * @param evaluations at least 1
     */
    public RecommendationTrainer stopEarly(int evaluations) {
        patience = atLeastOne("stopEarly", evaluations);
        return this;
    }

    /**
     * Sets what identifies the samples, such as {@code SplitSamples.Counts.fingerprint}: it is noted beside checkpoints, and {@link
     * #resume} refuses other samples. Nothing by default.
     */
    public RecommendationTrainer fingerprint(String samples) {
        fingerprint = Optional.of(samples);
        return this;
    }

    /**
     * Writes checkpoints of the whole model, against the loss of several servers or of the application. None by default. When rows
     * or blocks are lost, because more servers fail at once than the redundancy tolerates, all servers return to the last
     * checkpoint, and later batches are trained again.
     */
    public RecommendationTrainer checkpoints(CheckpointPolicy policy) {
        checkpoints = Optional.of(policy);
        return this;
    }

    /**
     * Continues from the newest checkpoint of a folder, which another application wrote with the same shape, optimizers, initial
     * values, batch, epochs and workers, and the same samples in the same partitions. Servers and redundancy may differ. Other
     * settings are refused with their names, as they are noted in {@code training.json} beside the checkpoints.
     */
    public RecommendationTrainer resume(String folder) {
        resumed = Optional.of(folder);
        return this;
    }

    /** Sets the listener; none by default. */
    public RecommendationTrainer listener(TrainingListener observer) {
        listener = Objects.requireNonNull(observer, "listener");
        return this;
    }

    private static Duration atLeastOneMilli(String name, Duration time) {
        if (time.toMillis() < 1) {
            throw new IllegalArgumentException(name + " must be at least 1 ms, got " + time.toMillis() + " ms");
        }
        return time;
    }

    private static int atLeastOne(String name, int count) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + count);
        }
        return count;
    }

    /**
     * Checks an application's settings, as {@link #train} does. For programs that read samples before, which may take long.
     *
     * @throws IllegalArgumentException if speculation is on, or a setting of parameter servers is wrong
     */
    public static void requireSuitable(SparkConf conf) {
        HostOptions.of(conf);
        time(EcrmSettings.SLOTS_TIMEOUT, conf);
        time(EcrmSettings.START_TIMEOUT, conf);
        requireNoCopies(conf);
    }

    /**
     * Checks that the settings fit each other, as {@link #train} does. For programs that read samples before, which may take long.
     *
     * @throws IllegalArgumentException if they do not
     */
    public void check() {
        plan();
    }

    /**
     * Checks that an application has what this training takes, as {@link #train} does: a checkpoint to resume, enough slots, which are
     * waited for, and a folder that the driver and all executors may write checkpoints into. For programs that read samples before, which may
     * take long. With dynamic allocation, executors come when there are tasks for them: then only {@code train} looks for slots.
     *
     * @throws IllegalArgumentException if there is no checkpoint to resume, or a setting of the application is wrong
     * @throws IllegalStateException if there are too few slots
     * @throws UncheckedIOException if the folder of checkpoints cannot be read or written
     */
    public void requireReady(SparkSession session) throws InterruptedException {
        SparkContext spark = session.sparkContext();
        requireSuitable(spark.getConf());
        try {
            if (resumed.isPresent()) {
                new CheckpointFolder(resumed.get(), spark.hadoopConfiguration()).requireNewest();
            }
            if (!spark.getConf().getBoolean("spark.dynamicAllocation.enabled", false)) {
                awaitSlots(spark);
            }
            if (checkpoints.isPresent()) {
                ParameterServers.requireWritable(
                        JavaSparkContext.fromSparkContext(spark),
                        checkpoints.get().folder());
            }
        } catch (IOException e) {
            throw cannotUse(e);
        }
    }

    /**
     * The same, and before that, that the model can be written.
     *
     * @param output folder for the model
     * @throws IllegalArgumentException also if checkpoints are to be in that folder
     * @throws IOException if the folder has files, or cannot be written
     */
    public void requireReady(SparkSession session, String output) throws IOException, InterruptedException {
        requireSuitable(session.sparkContext().getConf());
        TrainedModel.requireWritable(session, output);
        if (checkpoints.isPresent()) {
            TrainedModel.requireApart(session, output, checkpoints.get().folder());
        }
        requireReady(session);
    }

    private void awaitSlots(SparkContext spark) throws InterruptedException {
        new Slots(servers, options(spark).spares(), workers)
                .await(spark, wait.orElseGet(() -> time(EcrmSettings.SLOTS_TIMEOUT, spark.getConf())));
    }

    private HostOptions options(SparkContext spark) {
        return options.orElseGet(() -> HostOptions.of(spark.getConf()));
    }

    /** @throws InterruptedException if that is why: nothing is wrong with the folder */
    private static UncheckedIOException cannotUse(IOException e) throws InterruptedException {
        if (Interrupt.caused(e)) {
            throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
        }
        return new UncheckedIOException("cannot use the folder of checkpoints: " + e.getMessage(), e);
    }

    private static Duration time(Setting<Duration> setting, SparkConf conf) {
        return setting.get(key -> conf.get(key, null));
    }

    private static void requireNoCopies(SparkConf conf) {
        if (conf.getBoolean("spark.speculation", false)) {
            throw new IllegalArgumentException(
                    "spark.speculation must be false, got true: two tasks must not train on a partition at once");
        }
    }

    /**
     * Starts servers and trains. Each epoch reads the samples once. A partition that is read again, as when an executor is lost, must
     * have the same samples in the same order: else batches are skipped, and others trained on twice. After an exchange, such as {@code
     * repartition}, that takes {@code SplitSamples}; a cache is lost with its executor.
     *
     * @param samples samples with the columns of {@link Samples}, in at least as many partitions as there are workers
     * @return the trained model, on its servers; the caller closes it
     * @throws IllegalArgumentException if columns are missing, there are too few partitions, speculation is on, or the settings do
     *     not fit each other
     * @throws IllegalStateException if there are too few slots, or training fails; the message says why
     */
    public Training train(Dataset<?> samples) throws InterruptedException {
        TrainingPlan plan = plan();
        Evaluations evaluations = new Evaluations(evaluation, evaluateEvery, patience);
        Samples.of(samples);
        SparkContext spark = samples.sparkSession().sparkContext();
        requireReady(samples.sparkSession());
        Duration start = wait.orElseGet(() -> time(EcrmSettings.START_TIMEOUT, spark.getConf()));
        checkFolders(TrainingSettings.of(plan, fingerprint), spark.hadoopConfiguration());
        JavaRDD<InternalRow> partitions = partitions(samples);
        evaluations.check(shape, spark.getConf());
        awaitSlots(spark); // again: some may be lost since, and dynamic allocation has had reasons to start them
        ParameterServers started = start(JavaSparkContext.fromSparkContext(spark), plan, options(spark), start);
        try (Reports reports = new Reports()) {
            Training training = new Training(plan, started, samples.sparkSession());
            new TrainingRun(plan, started, reports, training, listener, checkpoints, interval)
                    .run(partitions, evaluations);
            return training;
        } catch (Throwable e) { // Spark throws checked exceptions that it does not declare
            started.close();
            throw e;
        }
    }

    private void checkFolders(TrainingSettings settings, Configuration conf) throws InterruptedException {
        try {
            if (resumed.isPresent()) {
                settings.check(resumed.get(), conf);
            }
            if (checkpoints.isPresent()) {
                settings.claim(checkpoints.get().folder(), conf);
            }
        } catch (IOException e) {
            throw cannotUse(e);
        }
    }

    private ParameterServers start(JavaSparkContext spark, TrainingPlan plan, HostOptions how, Duration timeout)
            throws InterruptedException {
        if (resumed.isEmpty()) {
            return ParameterServers.start(spark, plan.spec(), how, timeout);
        }
        try {
            return ParameterServers.restore(spark, plan.spec(), how, timeout, resumed.get());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a checkpoint of " + resumed.get() + ": " + e.getMessage(), e);
        }
    }

    private TrainingPlan plan() {
        TrainingPlan plan = new TrainingPlan(
                shape,
                new TrainingPlan.Servers(servers, redundancy, rowOptimizer, networkOptimizer),
                new TrainingPlan.Work(workers, batch, epochs, threads),
                rows.orElseGet(() -> InitialRows.of(shape, seed)),
                seed);
        plan.spec();
        return plan;
    }

    private JavaRDD<InternalRow> partitions(Dataset<?> samples) {
        JavaRDD<InternalRow> partitions = Samples.internalRows(samples).toJavaRDD();
        if (partitions.getNumPartitions() < workers) {
            throw new IllegalArgumentException("each worker must have at least 1 partition, got "
                    + partitions.getNumPartitions() + " partitions for " + workers + " workers: use repartition("
                    + workers
                    + "), or fewer workers");
        }
        return InOrder.coalesce(partitions, workers);
    }
}
