/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingEvent;
import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.inference.recommend.train.TrainingListener;
import io.paritas.spark.ecrm.table.Redundancy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where erasure-coded parameter servers become cheaper than checkpoints, by the size of the table: what redundancy costs a training without
 * failures, how long all wait for a checkpoint, and what a killed server costs with either. No test: it prints, writes CSV
 * into {@code target/table-sizes}, and draws what follows for other sizes and times between failures.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=TableSizeBenchmark
 * }</pre>
 *
 * <p>Properties: {@code bench.servers} (5; k is one less), {@code bench.sizes} (100000,400000,1600000,6400000 rows), {@code bench.dimension}
 * (32), {@code bench.samples} (60000, of one training), {@code bench.batch} (256), {@code bench.workers} (1), {@code bench.rounds} (3), {@code bench.every} (5, seconds
 * between checkpoints), {@code bench.out} (target/table-sizes).
 */
class TableSizeBenchmark {
    private static final int SERVERS = RecommendationBenchmark.SERVERS;
    private static final int DIMENSION = Integer.getInteger("bench.dimension", 32);
    private static final int SAMPLES = Integer.getInteger("bench.samples", 60_000);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int EVERY = Integer.getInteger("bench.every", 5);
    private static final int[] SIZES = Stream.of(System.getProperty("bench.sizes", "100000,400000,1600000,6400000")
                    .split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    private static final Path OUT = Path.of(System.getProperty("bench.out", "target/table-sizes"));

    @TempDir
    Path folder;

    @Test
    void measure() throws Exception {
        Files.createDirectories(OUT);
        List<Crossover.Measured> all = new ArrayList<>();
        StringBuilder csv = new StringBuilder(
                "rows,gigabytes_per_server,plain_s,coded_s,overhead,pause_s,coded_failure_s,restored_failure_s\n");
        try (StandaloneCluster cluster = StandaloneCluster.start(
                new StandaloneCluster.Size(SERVERS + 1 + RecommendationBenchmark.WORKERS, 1, 1536))) {
            SparkSession session = RecommendationBenchmark.session(cluster);
            try {
                for (int rows : SIZES) {
                    Crossover.Measured one = measure(session, cluster, rows);
                    all.add(one);
                    String line = String.format(
                            Locale.ROOT,
                            "%d,%.4f,%.2f,%.2f,%.3f,%.2f,%.2f,%.2f%n",
                            rows,
                            one.gigabytes(),
                            one.plain(),
                            one.coded(),
                            one.overhead(),
                            one.pause(),
                            one.codedFailure(),
                            one.restoredFailure());
                    System.out.print(line);
                    csv.append(line);
                    Files.writeString(OUT.resolve("sizes.csv"), csv);
                }
            } finally {
                session.stop();
            }
        }
        Plots.crossover(new Crossover(all, EVERY), OUT.resolve("crossover.png"));
    }

    private Crossover.Measured measure(SparkSession session, StandaloneCluster cluster, int rows) throws Exception {
        GeneratedClicks clicks = GeneratedClicks.likeCriteo(Tables.of(rows), 1);
        Dataset<Row> samples = clicks.samples(session, 0, SAMPLES, RecommendationBenchmark.WORKERS)
                .persist(StorageLevel.DISK_ONLY());
        samples.count();
        List<Double> plain = new ArrayList<>();
        List<Double> coded = new ArrayList<>();
        List<Double> codedKilled = new ArrayList<>();
        List<Double> restored = new ArrayList<>();
        List<Double> pauses = new ArrayList<>();
        List<Double> restoredKilled = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ServerKiller first = new ServerKiller(cluster, SAMPLES / 2);
            ServerKiller second = new ServerKiller(cluster, SAMPLES / 2);
            plain.add(seconds(trainer(clicks, Redundancy.none()), TrainingListener.NONE, samples, new ArrayList<>()));
            coded.add(seconds(
                    trainer(clicks, Redundancy.coded(SERVERS - 1)), TrainingListener.NONE, samples, new ArrayList<>()));
            codedKilled.add(seconds(trainer(clicks, Redundancy.coded(SERVERS - 1)), first, samples, new ArrayList<>()));
            restored.add(seconds(restoring(clicks, "a" + rows + "-" + round), TrainingListener.NONE, samples, pauses));
            restoredKilled.add(seconds(restoring(clicks, "b" + rows + "-" + round), second, samples, pauses));
        }
        samples.unpersist(true);
        double bytes = (double) rows * DIMENSION * 2 * Float.BYTES / SERVERS;
        return new Crossover.Measured(
                bytes / 1e9,
                median(plain),
                median(coded),
                median(pauses),
                median(codedKilled) - median(coded),
                median(restoredKilled) - median(restored));
    }

    private static double seconds(
            RecommendationTrainer trainer, TrainingListener listener, Dataset<Row> samples, List<Double> pauses)
            throws Exception {
        try (Training training =
                trainer.listener(listener).interval(Duration.ofMillis(100)).train(samples)) {
            double begun = Double.NaN;
            for (TrainingEvent event : training.curve().events()) {
                if (event.kind() == Kind.CHECKPOINT_BEGUN) {
                    begun = event.seconds();
                } else if (event.kind() == Kind.CHECKPOINT_WRITTEN) {
                    pauses.add(event.seconds() - begun);
                }
            }
            return training.metrics().seconds();
        }
    }

    private static double median(List<Double> values) {
        return Median.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static RecommendationTrainer trainer(GeneratedClicks clicks, Redundancy redundancy) {
        return RecommendationBenchmark.trainer(RecommendationBenchmark.small(clicks, DIMENSION), redundancy);
    }

    private RecommendationTrainer restoring(GeneratedClicks clicks, String name) {
        return trainer(clicks, Redundancy.none())
                .checkpoints(
                        CheckpointPolicy.every(folder.resolve(name).toUri().toString(), Duration.ofSeconds(EVERY)));
    }
}
