/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.CompleteFile;
import io.paritas.inference.recommend.data.ClickFiles;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.SplitSamples;
import io.paritas.inference.recommend.model.TrainedModel;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingEvent;
import io.paritas.inference.recommend.train.TrainingListener;
import io.paritas.inference.recommend.train.TrainingProgress;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Trains a recommendation model on files of clicks or on generated ones. With {@code kill=true} it kills the executor of a parameter
 * server halfway and reports the recovery; with one worker it then trains the same without the failure before, and compares the two
 * models bit for bit. Where trainings are compared, a short one comes first, so that all find warm processes.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" --master spark://host:7077 --executor-cores 1 \
 *     --class io.paritas.cli.spark.jobs.TrainRecommendation examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     out/ data=hdfs:///clicks label=clicked dense=price,age categorical=shop,city epochs=3 \
 *     checkpoints=hdfs:///checkpoints/clicks every=600 output=hdfs:///models/clicks
 * </pre>
 *
 * <p>Arguments: a folder of the driver for the curves (CSV), and settings, see {@link RecommendationSettings}. Executors write the
 * model: where they are on other machines, {@code output} must name a folder that all share. Without it, it is {@code model} in the
 * first folder. It
 * needs servers + 1 + workers slots, with one core for each executor, so that a lost executor has only one server. An executor is
 * killed only if it runs on the machine of the driver, as in the cluster of {@code bin/paritas recommend}.
 */
public final class TrainRecommendation {
    /** Interval of the curve, and of the checks whether half of the samples are done. */
    private static final Duration INTERVAL = Duration.ofMillis(250);
    /** The share of the samples that processes are warmed up with, as a divisor. */
    private static final int WARM_UP = 5;

    private static final String NOTHING_KILLED =
            "nothing was killed: no executor with a server runs on this machine, or the"
                    + " training ended before its half was seen";

    private final SparkSession spark;
    private final Path out;
    private final RecommendationSettings settings;
    private final ClickData clicks;
    /** Set by the thread that reports the training. */
    private volatile boolean killed;

    private TrainRecommendation(SparkSession spark, Path out, RecommendationSettings settings, ClickData clicks) {
        this.spark = spark;
        this.out = out;
        this.settings = settings;
        this.clicks = clicks;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 1) {
            throw new IllegalArgumentException("the arguments are OUT " + RecommendationSettings.USAGE);
        }
        RecommendationSettings settings =
                RecommendationSettings.parse(List.of(arguments).subList(1, arguments.length));
        RecommendationTrainer outlined =
                settings.trainer(settings.clicks().columns().dense().size(), ClickData.tables(settings.clicks()));
        outlined.check();
        Path out = CompleteFile.createFolder(Path.of(arguments[0]).toAbsolutePath());
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            settings.withCheckpoints(outlined).requireReady(spark, output(out, settings));
            if (settings.clicks().data().isPresent()) {
                trainOnFiles(spark, out, settings, settings.clicks().data().get());
            } else {
                new TrainRecommendation(spark, out, settings, ClickData.generated(spark, settings)).run();
            }
        }
    }

    private static String output(Path out, RecommendationSettings settings) {
        return settings.output().orElseGet(() -> path(out, "model"));
    }

    private static void trainOnFiles(SparkSession spark, Path out, RecommendationSettings settings, String path)
            throws IOException, InterruptedException {
        print("== reading %s", path);
        Dataset<Row> table = ClickFiles.read(spark, path, settings.clicks().columns());
        settings.clicks().columns().check(table);
        TrainedModel.predicted("a table", table.schema());
        FeatureEncoding encoding = ClickData.encoding(table, settings.clicks());
        try (SplitSamples split = SplitSamples.of(
                encoding.samples(table),
                settings.clicks().heldOut(),
                settings.workers(),
                encoding.columns().dense().size(),
                encoding.tables())) {
            SplitSamples.Counts counts = split.counts();
            print(
                    "%d samples for training, %d held out, %.2f %% clicks; %d embedding tables with %d rows",
                    counts.training(),
                    counts.heldOut(),
                    100 * counts.clicks(),
                    encoding.tables().count(),
                    encoding.tables().rows());
            new TrainRecommendation(spark, out, settings, ClickData.of(split, encoding)).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        boolean twice = settings.kill() && settings.workers() == 1;
        if (twice || settings.baseline() > 0) {
            warmUp();
        }
        double undisturbed = 0;
        if (twice) {
            try (Training training = train("undisturbed", trainer(), false)) {
                undisturbed = training.metrics().samplesPerSecond();
                training.model().write(path("undisturbed"));
            }
        }
        try (Training training = train("coded", settings.withCheckpoints(trainer()), settings.kill())) {
            if (settings.kill() && !killed) {
                print(NOTHING_KILLED);
            } else if (twice) {
                compare(TrainedModel.read(spark, path("undisturbed")), training.model());
                print(
                        "compared: the same coded training, with a kill and without; %.0f and %.0f samples/s",
                        training.metrics().samplesPerSecond(), undisturbed);
            }
            String output = output(out, settings);
            training.model().write(output, clicks.encoding());
            print("the model is in %s", output);
        }
        if (settings.baseline() > 0) {
            RecommendationTrainer baseline = trainer()
                    .redundancy(Redundancy.none())
                    .checkpoints(CheckpointPolicy.every(path("checkpoints"), Duration.ofSeconds(settings.baseline())));
            train("checkpoint", baseline, settings.kill()).close();
        }
    }

    private String path(String name) {
        return path(out, name);
    }

    /** Hadoop takes names as they are, without escapes. */
    private static String path(Path folder, String name) {
        return new org.apache.hadoop.fs.Path(folder.resolve(name).toUri()).toString();
    }

    /** Until it has trained for some seconds, a JVM is several times slower: the first training would look bad whatever it is. */
    private void warmUp() throws InterruptedException {
        print(
                "== warming up with about %d samples, which no curve shows",
                clicks.source().samples() / WARM_UP);
        trainer().listener(new Teller(false)).train(clicks.part(WARM_UP)).close();
    }

    private RecommendationTrainer trainer() {
        RecommendationTrainer trainer = settings.trainer(clicks.denseFeatures(), clicks.tables())
                .fingerprint(clicks.source().fingerprint());
        clicks.source().evaluation().ifPresent(samples -> trainer.evaluation(samples, 1));
        return trainer;
    }

    private Training train(String name, RecommendationTrainer trainer, boolean kill) throws InterruptedException {
        print("== %s", name);
        Training training = trainer.listener(new Teller(kill))
                .interval(INTERVAL)
                .train(clicks.source().training());
        print("%s", training.metrics());
        Path curve = out.resolve(name + ".csv");
        try {
            CompleteFile.write(curve, training.curve().toCsv().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The model, which is worth more, is still to be written.
            print("the curve cannot be written to %s: %s", curve, e);
        }
        return training;
    }

    private static void compare(TrainedModel found, TrainedModel wanted) {
        Dataset<Row> both = found.rows().as("a").join(wanted.rows().as("b"), "id");
        long rows = both.count();
        long equal = both.where("a.row = b.row").count();
        boolean networks = Arrays.equals(found.network(), wanted.network());
        print(
                "beside a training without a failure: %d of %d rows equal, bit for bit; networks %s",
                equal, rows, networks ? "too" : "differ");
        if (rows != wanted.shape().tables().rows() || equal != rows || !networks) {
            throw new IllegalStateException("a failure must change nothing, and it has");
        }
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    /** Reports a training, and kills the executor of its first server halfway. */
    private final class Teller implements TrainingListener {
        private final Cadence lines = new Cadence(settings.progress());
        private boolean toKill;

        Teller(boolean kill) {
            toKill = kill;
        }

        @Override
        public void progress(TrainingProgress progress) {
            if (lines.isDue(progress.seconds())) {
                print("progress %s", progress);
            }
            if (toKill && progress.samples() >= clicks.source().samples() * settings.epochs() / 2) {
                toKill = false;
                String victim = progress.servers().executors().get(0);
                ExecutorProcess.ofApplication(spark.sparkContext().applicationId())
                        .filter(executor -> executor.id().equals(victim))
                        .forEach(executor -> {
                            killed = true;
                            print("kill -9 %d, executor %s", executor.pid(), executor.id());
                            executor.kill();
                        });
            }
        }

        @Override
        public void event(TrainingEvent event) {
            print("%6.1f s: %s", event.seconds(), event.text());
        }
    }
}
