/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.it.spark.SharedSpark;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long a job takes when tasks are late or executors die: plain, with Spark's speculation, and coded, on the same slots of a
 * standalone cluster of three hosts. No test: it asserts that rows are right, and prints times.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=StragglerBenchmark -Dbench.segmentSeconds=2 -Dbench.seeds=10
 * }</pre>
 *
 * <p>{@code target/stragglers-WHAT-SECONDS.csv} and the plots beside it are the result.
 */
class StragglerBenchmark {
    private static final int WORKERS = 3;
    private static final int CORES = 3;
    private static final int TASKS = 6;
    private static final int ROWS_OF_TASK = 256;
    private static final double SEGMENT_SECONDS = Double.parseDouble(System.getProperty("bench.segmentSeconds", "2"));
    private static final int SEEDS = Integer.getInteger("bench.seeds", 10);
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @TempDir
    static Path folder;

    private final List<Timed> results = new ArrayList<>();

    @Test
    void lateTasks() throws Exception {
        try (StandaloneCluster cluster = cluster()) {
            for (Setup coded : List.of(Setup.coded(TASKS, 2), Setup.inPlace(TASKS, 2))) {
                for (Straggler.Kind kind :
                        List.of(Straggler.Kind.NONE, Straggler.Kind.SLEEP, Straggler.Kind.TWO_SLEEP)) {
                    measure(cluster, coded, kind, SEEDS);
                }
            }
            measure(cluster, Setup.plain(TASKS), Straggler.Kind.NONE, SEEDS);
            measure(cluster, Setup.plain(WORKERS * CORES), Straggler.Kind.NONE, SEEDS);
            measure(cluster, Setup.tuned(TASKS), Straggler.Kind.SLEEP, SEEDS);
            measure(cluster, Setup.tuned(TASKS), Straggler.Kind.TWO_SLEEP, SEEDS / 2);
            measure(cluster, Setup.speculation(TASKS), Straggler.Kind.SLEEP, SEEDS / 2);
            measure(cluster, Setup.plain(TASKS), Straggler.Kind.SLEEP, 1);
        }
        print("late");
    }

    /** Each run wants a new application. */
    @Test
    void lostExecutors() throws Exception {
        try (StandaloneCluster cluster = cluster()) {
            measure(cluster, Setup.plain(TASKS), Straggler.Kind.NONE, SEEDS);
            for (Setup coded : List.of(Setup.coded(TASKS, 2), Setup.inPlace(TASKS, 2))) {
                measure(cluster, coded, Straggler.Kind.NONE, SEEDS);
                measure(cluster, coded, Straggler.Kind.KILL, SEEDS);
                measure(cluster, coded, Straggler.Kind.FREEZE, SEEDS);
            }
            measure(cluster, Setup.plain(TASKS), Straggler.Kind.KILL, SEEDS);
        }
        print("lost");
    }

    /** Six times as many tasks as slots. */
    @Test
    void saturatedCluster() throws Exception {
        int tasks = 6 * WORKERS * CORES;
        try (StandaloneCluster cluster = cluster()) {
            for (Setup setup : List.of(Setup.plain(tasks), Setup.coded(tasks, 2), Setup.replicated(tasks))) {
                measure(cluster, setup, Straggler.Kind.NONE, SEEDS);
            }
            measure(cluster, Setup.coded(tasks, 2), Straggler.Kind.SLEEP, SEEDS);
            measure(cluster, Setup.tuned(tasks), Straggler.Kind.SLEEP, SEEDS);
        }
        print("saturated");
    }

    @Test
    void drawOneRun() throws Exception {
        Setup setup = Setup.coded(TASKS, 2);
        try (StandaloneCluster cluster = cluster()) {
            SparkSession session = session(cluster, setup);
            for (int warmUp = 0; warmUp < 2; warmUp++) {
                run(session, setup, new Straggler(Set.of(), Straggler.Kind.NONE));
            }
            Timeline timeline = new Timeline();
            session.sparkContext().addSparkListener(timeline);
            check(setup, run(session, setup, new Straggler(new HashSet<>(Set.of(4)), Straggler.Kind.SLEEP)));
            session.stop(); // hands out all events before
            Plots.timeline(timeline.tasks(), Path.of("target/timeline.png"));
        }
    }

    private static StandaloneCluster cluster() throws IOException, InterruptedException {
        MODEL.write(folder);
        MODEL.parity(2, 1, Map.of()).write(folder);
        return StandaloneCluster.start(new StandaloneCluster.Size(WORKERS, CORES, 512));
    }

    private void measure(StandaloneCluster cluster, Setup setup, Straggler.Kind kind, int seeds) throws Exception {
        boolean fresh = kind == Straggler.Kind.KILL || kind == Straggler.Kind.FREEZE;
        List<Double> seconds = new ArrayList<>();
        long reconstructed = 0;
        SparkSession session = null;
        for (int seed = 1; seed <= seeds; seed++) {
            if (session == null) {
                session = session(cluster, setup);
                run(session, setup, new Straggler(Set.of(), Straggler.Kind.NONE));
                run(session, setup, new Straggler(Set.of(), Straggler.Kind.NONE));
            }
            Straggler straggler = straggler(setup, kind, new Random(seed));
            long start = System.nanoTime();
            List<Row> rows = run(session, setup, straggler);
            seconds.add((System.nanoTime() - start) / 1e9);
            reconstructed += check(setup, rows);
            System.out.printf("%s, %s, seed %d: %.2f s%n", setup.name(), kind.text, seed, seconds.get(seed - 1));
            if (fresh) {
                stop(cluster, session);
                session = null;
            }
        }
        if (session != null) {
            stop(cluster, session);
        }
        results.add(new Timed(setup, kind, seconds, reconstructed, (long) seeds * setup.rows(ROWS_OF_TASK)));
    }

    private static SparkSession session(StandaloneCluster cluster, Setup setup) throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.putAll(setup.spark());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.locality.wait", "0");
        long nanos = (long) (SEGMENT_SECONDS * 1e9 / ROWS_OF_TASK);
        settings.merge(
                "spark.executor.extraJavaOptions",
                "-D" + PacedEngine.NANOS_PER_ROW + "=" + nanos,
                (light, more) -> light + " " + more);
        System.setProperty(PacedEngine.NANOS_PER_ROW, "0");
        SparkSession session = SparkSession.builder().config(settings).getOrCreate();
        while (session.sparkContext().getExecutorIds().size() < WORKERS) {
            Thread.sleep(50);
        }
        return session;
    }

    private static void stop(StandaloneCluster cluster, SparkSession session) throws InterruptedException {
        session.stop();
        while (!cluster.executors().isEmpty()) {
            cluster.executors().forEach(executor -> executor.kill());
            Thread.sleep(50);
        }
    }

    private static List<Row> run(SparkSession session, Setup setup, Straggler straggler) {
        long distinct = setup.rows(ROWS_OF_TASK);
        Dataset<Row> rows = session.range(0, setup.copies() * distinct, 1, setup.partitions())
                .selectExpr("id % " + distinct + " AS id")
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
        String model = folder.resolve("model.onnx").toString();
        Predict call = setup.coded() ? Predict.coded(model, col("x")) : Predict.plain(model, col("x"));
        Dataset<Row> answers = rows.select(
                        col("id"),
                        call.option(EngineSettings.NAME, "paced")
                                .option(EngineSettings.BATCH_ROWS, 16)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.prediction", "answer.outcome");
        return answers.mapPartitions(straggler, Encoders.row(answers.schema())).collectAsList();
    }

    /** Each row as often as it is to come, and right; returns how many are reconstructed. */
    private static long check(Setup setup, List<Row> rows) {
        Set<Long> ids = new HashSet<>();
        long reconstructed = 0;
        for (Row row : rows) {
            long id = row.getLong(0);
            float[] expected = MODEL.predict(new float[] {id % 5, id % 3, id % 7});
            assertThat(row.<Float>getList(1)).containsExactly(expected[0], expected[1]);
            ids.add(id);
            reconstructed += row.getString(2).equals("reconstructed") ? 1 : 0;
        }
        assertThat(ids).hasSize(setup.rows(ROWS_OF_TASK));
        assertThat(rows).hasSize(setup.copies() * ids.size());
        return reconstructed;
    }

    /** A segment with rows, or two of different stripes of three. */
    private static Straggler straggler(Setup setup, Straggler.Kind kind, Random random) {
        int withRows = setup.isInPlace() ? 2 : 3; // the third has parity only
        int stripes = setup.partitions() / (setup.coded() ? 2 : 3);
        int first = random.nextInt(stripes);
        Set<Integer> segments = new HashSet<>();
        segments.add(3 * first + random.nextInt(withRows));
        if (kind == Straggler.Kind.TWO_SLEEP) {
            segments.add(3 * ((first + 1) % stripes) + random.nextInt(withRows));
        }
        return new Straggler(kind == Straggler.Kind.NONE ? Set.of() : segments, kind);
    }

    private void print(String what) throws IOException {
        Path file =
                Path.of("target/stragglers-" + what + "-" + System.getProperty("bench.segmentSeconds", "2") + ".csv");
        double reference = results.stream()
                .filter(timed -> !timed.setup().coded() && timed.straggler() == Straggler.Kind.NONE)
                .mapToDouble(Timed::median)
                .findFirst()
                .orElse(results.get(0).median());
        try (PrintWriter csv = new PrintWriter(Files.newBufferedWriter(file))) {
            csv.println("setup,straggler,seed,seconds");
            for (Timed timed : results) {
                for (int seed = 0; seed < timed.seconds().size(); seed++) {
                    csv.printf(
                            "\"%s\",\"%s\",%d,%.3f%n",
                            timed.setup().name(),
                            timed.straggler().text,
                            seed + 1,
                            timed.seconds().get(seed));
                }
            }
        }
        System.out.println("| setup | straggler | runs | median s | worst s | × plain | reconstructed % |");
        System.out.println("|---|---|---|---|---|---|---|");
        results.forEach(timed -> System.out.println(timed.line(reference)));
        Plots.bars(results, 10 * SEGMENT_SECONDS, Path.of(file.toString().replace(".csv", ".png")));
    }
}
