/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark.jobs;

import io.paritas.examples.spark.ExecutorProcess;
import io.paritas.spark.ecrm.data.GeneratedClicks;
import io.paritas.spark.ecrm.data.Tables;
import io.paritas.spark.ecrm.model.DlrmShape;
import io.paritas.spark.ecrm.model.Interaction;
import io.paritas.spark.ecrm.model.TrainedModel;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.train.CheckpointPolicy;
import io.paritas.spark.ecrm.train.RecommendationTrainer;
import io.paritas.spark.ecrm.train.Training;
import io.paritas.spark.ecrm.train.TrainingEvent;
import io.paritas.spark.ecrm.train.TrainingListener;
import io.paritas.spark.ecrm.train.TrainingProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Trains a recommendation model on generated clicks, kills the executor of a parameter server at half way, and says what becomes of it.
 * With one worker it is trained once more without that, and the two models are compared bit for bit.
 *
 * <pre>
 * spark-submit --jars $(bin/paritas spark-jars) --master spark://host:7077 --executor-cores 1 \
 *     --class io.paritas.examples.spark.jobs.TrainRecommendation examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     out/ samples=200000 rows=100000 workers=1 kill=true baseline=20
 * </pre>
 *
 * <p>Arguments: a folder of the driver for the curves (CSV) and the model, and settings, see {@link RecommendationSettings}. It
 * takes servers + 1 + workers slots; one core for each executor, so that a lost one takes only a server along. An executor is
 * killed only if it runs on the machine of the driver: {@code bin/paritas recommend} starts a cluster like that.
 */
public final class TrainRecommendation {
    /** Of the curve, and so of the looks at whether half of the samples are there. */
    private static final int INTERVAL_MILLIS = 250;

    private final SparkSession spark;
    private final Path out;
    private final RecommendationSettings settings;
    private final GeneratedClicks clicks;

    private TrainRecommendation(SparkSession spark, Path out, RecommendationSettings settings) {
        this.spark = spark;
        this.out = out;
        this.settings = settings;
        this.clicks = GeneratedClicks.likeCriteo(Tables.of(settings.rows()), settings.seed());
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 1) {
            throw new IllegalArgumentException("the arguments are OUT " + RecommendationSettings.USAGE);
        }
        RecommendationSettings settings =
                RecommendationSettings.parse(List.of(arguments).subList(1, arguments.length));
        Path out = Files.createDirectories(Path.of(arguments[0]).toAbsolutePath());
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            new TrainRecommendation(spark, out, settings).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        String model = out.resolve("model").toUri().toString();
        try (Training training = train("coded", trainer(), settings.kill())) {
            training.model().write(model);
            print("the model is in %s", out.resolve("model"));
        }
        if (settings.kill() && settings.workers() == 1) {
            try (Training training = train("undisturbed", trainer(), false)) {
                compare(TrainedModel.read(spark, model), training.model());
            }
        }
        if (settings.baseline() > 0) {
            String checkpoints = out.resolve("checkpoints").toUri().toString();
            RecommendationTrainer baseline = trainer()
                    .redundancy(Redundancy.none())
                    .checkpoints(CheckpointPolicy.everyMillis(checkpoints, 1000L * settings.baseline()));
            train("checkpoint", baseline, settings.kill()).close();
        }
    }

    private RecommendationTrainer trainer() {
        int dimension = settings.dimension();
        DlrmShape shape = new DlrmShape(
                clicks.denseFeatures(),
                List.of(64, dimension),
                clicks.tables(),
                dimension,
                Interaction.CONCATENATION,
                List.of(64, 32));
        long test = Math.max(1000, settings.samples() / 10);
        return RecommendationTrainer.of(shape)
                .servers(settings.servers())
                .redundancy(Redundancy.coded(settings.k()))
                .workers(settings.workers())
                .batch(settings.batch())
                .seed(settings.seed())
                .evaluation(clicks.samples(spark, settings.samples(), settings.samples() + test, 1), 1);
    }

    private Training train(String name, RecommendationTrainer trainer, boolean kill)
            throws IOException, InterruptedException {
        print("== %s", name);
        Dataset<Row> samples = clicks.samples(spark, 0, settings.samples(), settings.workers());
        Training training =
                trainer.listener(new Teller(kill)).interval(INTERVAL_MILLIS).train(samples);
        Files.writeString(out.resolve(name + ".csv"), training.curve().toCsv());
        print("%s", training.metrics());
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

    /** Tells of a training, and kills the executor of its first server at half way. */
    private final class Teller implements TrainingListener {
        private boolean toKill;

        Teller(boolean kill) {
            toKill = kill;
        }

        @Override
        public void progress(TrainingProgress progress) {
            print("progress %s", progress);
            if (toKill && progress.samples() >= settings.samples() / 2) {
                toKill = false;
                String victim = progress.executors().get(0);
                ExecutorProcess.ofApplication(spark.sparkContext().applicationId())
                        .filter(executor -> executor.id().equals(victim))
                        .forEach(executor -> {
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
