/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import io.paritas.spark.ecrm.data.Samples;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.model.DlrmShape;
import io.paritas.spark.ecrm.model.InitialRows;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Trains a recommendation model on parameter servers, asynchronously: workers are tasks, each with a partition of the samples,
 * and servers are tasks too, of which any one may be lost at a time. What is not set is as said at each setting.
 *
 * <pre>{@code
 * try (Training training = RecommendationTrainer.of(shape).servers(5).redundancy(Redundancy.coded(4)).workers(8).train(samples)) {
 *     training.model().write("hdfs:///models/clicks");
 * }
 * }</pre>
 *
 * <p>Each batch is committed once, also if its worker is lost: Spark runs its task again, which goes on with the first batch that is
 * not committed. With one worker, equal seeds and samples give equal bits, whatever servers are lost meanwhile. For one thread.
 */
public final class RecommendationTrainer {
    private final DlrmShape shape;
    private int servers = 3;
    private Redundancy redundancy = Redundancy.coded(2);
    private Optimizer rowOptimizer = new Optimizer.Adagrad(0.05f, 1e-8f);
    private Optimizer networkOptimizer = new Optimizer.Adagrad(0.01f, 1e-8f);
    private Optional<InitialRows> rows = Optional.empty();
    private int batch = 256;
    private int epochs = 1;
    private int workers = 1;
    private int threads = 1;
    private long seed = 1;
    private Optional<HostOptions> options = Optional.empty();
    private long wait = 60_000;
    private long interval = 1000;
    private Optional<Dataset<?>> evaluation = Optional.empty();
    private int evaluateEvery = 1;
    private Optional<CheckpointPolicy> checkpoints = Optional.empty();
    private Optional<String> resumed = Optional.empty();
    private TrainingListener listener = TrainingListener.NONE;

    private RecommendationTrainer(DlrmShape shape) {
        this.shape = Objects.requireNonNull(shape, "shape");
    }

    /** A trainer of models that are built so. */
    public static RecommendationTrainer of(DlrmShape shape) {
        return new RecommendationTrainer(shape);
    }

    /** Servers that share the model; 3 by default. */
    public RecommendationTrainer servers(int count) {
        servers = atLeastOne("servers", count);
        return this;
    }

    /** What protects the model while it is trained; {@link Redundancy#coded} with k = 2 by default. */
    public RecommendationTrainer redundancy(Redundancy how) {
        redundancy = Objects.requireNonNull(how, "redundancy");
        return this;
    }

    /** What gradients do to embedding rows; Adagrad with a rate of 0.05 by default. */
    public RecommendationTrainer rowOptimizer(Optimizer optimizer) {
        rowOptimizer = Objects.requireNonNull(optimizer, "rowOptimizer");
        return this;
    }

    /** What gradients do to the networks; Adagrad with a rate of 0.01 by default. */
    public RecommendationTrainer networkOptimizer(Optimizer optimizer) {
        networkOptimizer = Objects.requireNonNull(optimizer, "networkOptimizer");
        return this;
    }

    /** What rows start with; {@link InitialRows#of} with the seed by default. */
    public RecommendationTrainer initialRows(InitialRows initial) {
        if (initial.dimension() != shape.dimension()) {
            throw new IllegalArgumentException("Rows of this model have " + shape.dimension()
                    + " numbers; got initial ones of " + initial.dimension());
        }
        rows = Optional.of(initial);
        return this;
    }

    /** Samples in a batch; 256 by default. */
    public RecommendationTrainer batch(int samples) {
        batch = atLeastOne("batch", samples);
        return this;
    }

    /** Passes over the samples; 1 by default. */
    public RecommendationTrainer epochs(int count) {
        epochs = atLeastOne("epochs", count);
        return this;
    }

    /** Tasks that train at once; 1 by default. */
    public RecommendationTrainer workers(int count) {
        workers = atLeastOne("workers", count);
        return this;
    }

    /** Threads of a worker's networks; 1 by default, as a task has one core. */
    public RecommendationTrainer threads(int count) {
        threads = atLeastOne("threads", count);
        return this;
    }

    /** Of what the parameters start with; 1 by default. */
    public RecommendationTrainer seed(long number) {
        seed = number;
        return this;
    }

    /** How servers are run; {@link HostOptions#of} Spark's settings by default. */
    public RecommendationTrainer options(HostOptions hostOptions) {
        options = Optional.of(hostOptions);
        return this;
    }

    /** Milliseconds to wait for slots, and for servers to start; 60000 by default. */
    public RecommendationTrainer waitFor(int millis) {
        wait = atLeastOne("waitFor", millis);
        return this;
    }

    /** Milliseconds between points of the curve; 1000 by default. */
    public RecommendationTrainer interval(int millis) {
        interval = atLeastOne("interval", millis);
        return this;
    }

    /**
     * Other samples, on which the model is evaluated after so many epochs, and after the last one. None by default.
     *
     * @param everyEpochs at least 1
     */
    public RecommendationTrainer evaluation(Dataset<?> samples, int everyEpochs) {
        Samples.of(samples);
        evaluation = Optional.of(samples);
        evaluateEvery = atLeastOne("everyEpochs", everyEpochs);
        return this;
    }

    /**
     * When the whole model is written, for the loss of more than one server, or of the application. Never by default. Servers without
     * redundancy go back to the last checkpoint when one is lost, and what was trained since is trained again.
     */
    public RecommendationTrainer checkpoints(CheckpointPolicy policy) {
        checkpoints = Optional.of(policy);
        return this;
    }

    /**
     * Begins with the newest checkpoint of a folder, that another application wrote with the same settings: shape, optimizers, initial
     * values, batch, epochs and workers, and the same samples in the same partitions. Servers and redundancy may be others.
     */
    public RecommendationTrainer resume(String folder) {
        resumed = Optional.of(folder);
        return this;
    }

    /** Who hears of the training; nobody by default. */
    public RecommendationTrainer listener(TrainingListener hearing) {
        listener = Objects.requireNonNull(hearing, "listener");
        return this;
    }

    private static int atLeastOne(String name, int count) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + count);
        }
        return count;
    }

    /**
     * Starts servers and trains on samples, as {@link Samples} says what they are, in at least as many partitions as workers. Samples
     * are read once in each epoch: cache them if that is slow. A partition that is read again must have the same samples in the
     * same order.
     *
     * @return the trained model, on its servers; to be closed
     * @throws IllegalArgumentException if columns are missing, there are too few partitions, speculation is on, or the settings do
     *     not fit each other
     * @throws IllegalStateException if there are too few slots, or training has failed: the message says why
     */
    public Training train(Dataset<?> samples) throws InterruptedException {
        TrainingPlan plan = plan();
        JavaRDD<InternalRow> partitions = partitions(samples);
        SparkContext spark = samples.sparkSession().sparkContext();
        HostOptions how = options.orElseGet(() -> HostOptions.of(spark.getConf()));
        new Slots(servers, how.spares(), workers).await(spark, wait);
        ParameterServers started = start(JavaSparkContext.fromSparkContext(spark), plan, how);
        try (Reports reports = new Reports()) {
            Training training = new Training(plan, started, samples.sparkSession());
            new TrainingRun(plan, started, reports, training, listener, checkpoints, interval)
                    .run(partitions, evaluation, evaluateEvery);
            return training;
        } catch (InterruptedException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private ParameterServers start(JavaSparkContext spark, TrainingPlan plan, HostOptions how)
            throws InterruptedException {
        if (resumed.isEmpty()) {
            return ParameterServers.start(spark, plan.spec(), how, wait);
        }
        try {
            return ParameterServers.restore(spark, plan.spec(), how, wait, resumed.get());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read a checkpoint of " + resumed.get() + ": " + e.getMessage(), e);
        }
    }

    private TrainingPlan plan() {
        TrainingPlan plan = new TrainingPlan(
                shape,
                servers,
                redundancy,
                rowOptimizer,
                networkOptimizer,
                rows.orElseGet(() -> InitialRows.of(shape, seed)),
                batch,
                epochs,
                workers,
                threads,
                seed);
        plan.spec();
        return plan;
    }

    private JavaRDD<InternalRow> partitions(Dataset<?> samples) {
        JavaRDD<InternalRow> partitions = Samples.internalRows(samples).toJavaRDD();
        if (partitions.getNumPartitions() < workers) {
            throw new IllegalArgumentException("Each worker trains on a partition or more; got "
                    + partitions.getNumPartitions() + " partitions for " + workers + " workers: use repartition("
                    + workers
                    + "), or fewer workers");
        }
        if (samples.sparkSession().sparkContext().getConf().getBoolean("spark.speculation", false)) {
            throw new IllegalArgumentException(
                    "Two tasks may not train on a partition at once: set spark.speculation to false");
        }
        return partitions.coalesce(workers);
    }
}
