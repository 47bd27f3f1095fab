/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.inference.recommend.train.TrainingCurve;
import io.paritas.inference.recommend.train.TrainingEvent;
import io.paritas.inference.recommend.train.TrainingMetrics;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What redundancy of parameter servers costs in normal operation, by component, and what it gives when one is killed, beside checkpoints. An
 * executor for each server, the spare one and each worker, on one machine: all share its processors, so that servers and workers slow
 * each other. No test: it prints, and writes CSV into {@code target/recommendation}.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=RecommendationBenchmark
 * }</pre>
 *
 * <p>Properties: {@code bench.servers} (5), {@code bench.rows} (200000), {@code bench.dimension} (16), {@code bench.samples} (50000, of
 * one training), {@code bench.batch} (256), {@code bench.workers} (1), {@code bench.rounds} (5; 0 for kills only), {@code bench.kills} (3), {@code
 * bench.every} (10, seconds between checkpoints), {@code bench.evaluated} (false: a small network; true: that of the thesis, with rows
 * of 128), {@code bench.shares} (empty; such as 1,0.25: kills only of coded servers, whose replacements recover for these shares of their
 * time), {@code bench.java} (options of the executors' JVMs in place of those of test clusters, which have no C2; such as
 * {@code -XX:+UseSerialGC}), {@code bench.out} (target/recommendation).
 */
class RecommendationBenchmark {
    static final int SERVERS = Integer.getInteger("bench.servers", 5);
    private static final int ROWS = Integer.getInteger("bench.rows", 200_000);
    private static final int DIMENSION = Integer.getInteger("bench.dimension", 16);
    private static final int SAMPLES = Integer.getInteger("bench.samples", 50_000);
    private static final int BATCH = Integer.getInteger("bench.batch", 256);
    static final int WORKERS = Integer.getInteger("bench.workers", 1);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 5);
    private static final int KILLS = Integer.getInteger("bench.kills", 3);
    private static final int EVERY = Integer.getInteger("bench.every", 10);
    private static final List<Double> SHARES = Stream.of(
                    System.getProperty("bench.shares", "").split(","))
            .filter(share -> !share.isEmpty())
            .map(Double::valueOf)
            .toList();
    private static final Path OUT = Path.of(System.getProperty("bench.out", "target/recommendation"));
    private static final String JAVA = System.getProperty("bench.java", "");

    private static final GeneratedClicks CLICKS = GeneratedClicks.likeCriteo(Tables.of(ROWS), 1);

    @TempDir
    Path folder;

    private static Map<String, Redundancy> redundancies() {
        Map<String, Redundancy> all = new LinkedHashMap<>();
        all.put("none", Redundancy.none());
        for (int k : new int[] {2, 4}) {
            if (k < SERVERS) {
                all.put("k=" + k, Redundancy.coded(k));
                all.put("k=" + k + " - NN", Redundancy.coded(k).oneReplicaOfBlocks());
                all.put(
                        "k=" + k + " - NN - 2PC",
                        Redundancy.coded(k).oneReplicaOfBlocks().onePhase());
            }
        }
        all.put("replicated", Redundancy.replicated());
        return all;
    }

    /** Of all rounds of one kind. */
    private record Figures(List<TrainingMetrics> rounds) {
        double[] throughputs() {
            return rounds.stream()
                    .mapToDouble(TrainingMetrics::samplesPerSecond)
                    .sorted()
                    .toArray();
        }

        double median() {
            return throughputs()[rounds.size() / 2];
        }
    }

    @Test
    void measure() throws Exception {
        Files.createDirectories(OUT);
        print(
                "%d processors, JDK %s; %d servers of 512 MB heap, %d rows of %d, Adagrad, %d workers, batch %d, %d samples",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                SERVERS,
                ROWS,
                DIMENSION,
                WORKERS,
                BATCH,
                SAMPLES);
        try (StandaloneCluster cluster =
                StandaloneCluster.start(new StandaloneCluster.Size(SERVERS + 1 + WORKERS, 1, 512))) {
            SparkSession session = session(cluster);
            try {
                Dataset<Row> samples =
                        CLICKS.samples(session, 0, SAMPLES, WORKERS).persist(StorageLevel.DISK_ONLY());
                samples.count();
                if (ROUNDS > 0) {
                    normalOperation(samples);
                }
                if (SHARES.isEmpty()) {
                    failures(cluster, samples);
                } else {
                    limits(cluster, samples);
                }
            } finally {
                session.stop();
            }
        }
    }

    /** Rounds of all kinds in turn, so that all see the same noise; the first round is not counted. */
    private static void normalOperation(Dataset<Row> samples) throws Exception {
        Map<String, Figures> figures = new LinkedHashMap<>();
        redundancies().keySet().forEach(name -> figures.put(name, new Figures(new ArrayList<>())));
        for (int round = 0; round <= ROUNDS; round++) {
            for (Map.Entry<String, Redundancy> kind : redundancies().entrySet()) {
                try (Training training = trainer(kind.getValue()).train(samples)) {
                    if (round > 0) {
                        figures.get(kind.getKey()).rounds().add(training.metrics());
                    }
                }
            }
        }
        StringBuilder csv = new StringBuilder("kind,round,samples_per_second,commit_ms,commit_p99_ms,parity_bytes\n");
        double none = figures.get("none").median();
        figures.forEach((name, of) -> {
            TrainingMetrics last = of.rounds().get(ROUNDS - 1);
            double[] all = of.throughputs();
            print(
                    "normal, %-16s %7.0f samples/s (%.0f to %.0f), %5.1f %% less than none; commit %.1f ms, pull %.1f ms,"
                            + " gradients %.1f ms; update load max/min %.2f %s",
                    name + ":",
                    of.median(),
                    all[0],
                    all[all.length - 1],
                    100 * (1 - of.median() / none),
                    last.batch().commitMedianMillis(),
                    last.batch().pullMillis(),
                    last.batch().computeMillis(),
                    last.servers().imbalance(),
                    last.servers().updated());
            for (int round = 0; round < ROUNDS; round++) {
                TrainingMetrics one = of.rounds().get(round);
                csv.append(String.format(
                        Locale.ROOT,
                        "%s,%d,%.1f,%.3f,%.3f,%d%n",
                        name,
                        round,
                        one.samplesPerSecond(),
                        one.batch().commitMedianMillis(),
                        one.batch().commit99Millis(),
                        one.servers().parityBytes()));
            }
        });
        Files.writeString(OUT.resolve("normal.csv"), csv);
    }

    /** A server is killed at half way: coded, and with checkpoints that are restored. */
    private void failures(StandaloneCluster cluster, Dataset<Row> samples) throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            for (int k : new int[] {2, 4}) {
                if (k < SERVERS) {
                    failure("k=" + k, kill, cluster, trainer(Redundancy.coded(k)), samples);
                }
            }
            String checkpoints = folder.resolve("checkpoints-" + kill).toUri().toString();
            RecommendationTrainer restoring = trainer(Redundancy.none())
                    .checkpoints(CheckpointPolicy.every(checkpoints, Duration.ofSeconds(EVERY)));
            failure("checkpoints", kill, cluster, restoring, samples);
        }
    }

    /** A server is killed at half way: its replacement rests more and more. */
    private static void limits(StandaloneCluster cluster, Dataset<Row> samples) throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            for (double share : SHARES) {
                HostOptions options = HostOptions.DEFAULT.withPace(RecoveryPace.DEFAULT.withShare(share));
                RecommendationTrainer limited =
                        trainer(Redundancy.coded(SERVERS - 1)).options(options);
                failure("share " + share, kill, cluster, limited, samples);
            }
        }
    }

    private static void failure(
            String name, int number, StandaloneCluster cluster, RecommendationTrainer trainer, Dataset<Row> samples)
            throws Exception {
        ServerKiller killer = new ServerKiller(cluster, SAMPLES / 2);
        try (Training training =
                trainer.listener(killer).interval(Duration.ofMillis(100)).train(samples)) {
            TrainingCurve curve = training.curve();
            Files.writeString(OUT.resolve("kill-" + name + "-" + number + ".csv"), curve.toCsv());
            double killed = killer.seconds();
            double recovered =
                    first(curve, TrainingEvent.Kind.RECOVERED, killed).orElse(Double.NaN);
            double lost = first(curve, TrainingEvent.Kind.SERVER_LOST, killed).orElse(Double.NaN);
            long twice = training.metrics().samples() - SAMPLES;
            print(
                    "kill, %-12s before %6.0f samples/s, until recovered %6.0f, after %6.0f; noticed after %.1f s, commits again after"
                            + " %.1f s, recovered after %.1f s, as far as before after %.1f s; trained twice: %d samples; %.1f s in all",
                    name + ":",
                    mean(curve, 0, killed),
                    mean(curve, killed, recovered),
                    mean(curve, recovered, Double.MAX_VALUE),
                    lost - killed,
                    reached(curve, lost, killer.samples() + 1) - killed,
                    recovered - killed,
                    reached(curve, lost, killer.samples() + twice) - killed,
                    twice,
                    training.metrics().seconds());
        }
    }

    /** When so many samples were committed, in an interval that ends later. */
    private static double reached(TrainingCurve curve, double later, long samples) {
        return curve.points().stream()
                .filter(point -> point.seconds() > later && point.samplesPerSecond() > 0 && point.samples() >= samples)
                .mapToDouble(TrainingCurve.Point::seconds)
                .findFirst()
                .orElse(Double.NaN);
    }

    private static OptionalDouble first(TrainingCurve curve, TrainingEvent.Kind kind, double after) {
        return curve.events().stream()
                .filter(event -> event.kind() == kind && event.seconds() >= after)
                .mapToDouble(TrainingEvent::seconds)
                .findFirst();
    }

    /** Of the intervals that are wholly in that time, from the first that has a sample. */
    private static double mean(TrainingCurve curve, double from, double to) {
        return curve.points().stream()
                .filter(point -> point.samples() > 0 && point.samples() < SAMPLES)
                .filter(point -> point.seconds() - 0.1 >= from && point.seconds() <= to)
                .mapToDouble(TrainingCurve.Point::samplesPerSecond)
                .average()
                .orElse(Double.NaN);
    }

    private static RecommendationTrainer trainer(Redundancy redundancy) {
        return trainer(
                Boolean.getBoolean("bench.evaluated") ? DlrmShape.evaluated(ROWS) : small(CLICKS, DIMENSION),
                redundancy);
    }

    static RecommendationTrainer trainer(DlrmShape shape, Redundancy redundancy) {
        return RecommendationTrainer.of(shape)
                .servers(SERVERS)
                .redundancy(redundancy)
                .rowOptimizer(new Optimizer.Adagrad(0.05f, 1e-8f))
                .workers(WORKERS)
                .batch(BATCH);
    }

    /** Networks that cost next to nothing, so that what is left is communication. */
    static DlrmShape small(GeneratedClicks clicks, int dimension) {
        return new DlrmShape(
                clicks.denseFeatures(),
                List.of(64, dimension),
                clicks.tables(),
                dimension,
                Interaction.CONCATENATION,
                List.of(64, 32));
    }

    static SparkSession session(StandaloneCluster cluster) {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.locality.wait", "0");
        settings.put("spark.task.maxFailures", "100");
        if (!JAVA.isEmpty()) {
            settings.put("spark.executor.extraJavaOptions", JAVA);
        }
        return SparkSession.builder().config(settings).getOrCreate();
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
