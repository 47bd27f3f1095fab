/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.apache.spark.sql.functions.col;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.data.Glyphs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ParitasPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What screening costs coded predictions: processor time of all executors for a query, by mode and by what threads do, in applications
 * of their own that take turns. No test: it prints. Parity that a mode computes more than another is not a cost of comparing it, so the
 * time of tasks is also given for a batch, data or parity.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=ScreeningOverhead -Dbench.model=models/lenet/base.onnx
 * }</pre>
 *
 * <p>Properties: {@code bench.model} (with its parity models beside it, of images of 28 × 28), {@code bench.rows} (40000), {@code
 * bench.rounds} (3), {@code bench.modes} (all, the first is what others are compared with), {@code bench.queries} (4, of a round, after {@code bench.warmup}, 2). On Linux only.
 */
class ScreeningOverhead {
    private static final List<String> MODES =
            List.of(System.getProperty("bench.modes", "off,audit,residual,full").split(",", -1));
    private static final int ROWS = Integer.getInteger("bench.rows", 40_000);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int QUERIES = Integer.getInteger("bench.queries", 4);
    private static final int WARM_UP = Integer.getInteger("bench.warmup", 2);
    private static final int WORKERS = 3;
    private static final int IMAGES = 1_000;
    private static final int SIDE = 28;
    private static final int BATCH_ROWS = 256;
    private static final double BATCHES = Math.ceil((double) ROWS / BATCH_ROWS);

    private final Path model = Path.of(System.getProperty("bench.model"));

    /**
     * A query.
     *
     * @param seconds of all executors' processors
     * @param threads of which by what threads do
     * @param parity batches of parity that were computed
     */
    private record Cost(double seconds, Map<String, Double> threads, long parity) {
        double of(String kind) {
            return threads.getOrDefault(kind, 0.0);
        }

        /** With the models that work for them on other threads. */
        double ofTasks() {
            return of("tasks") + of("engine");
        }

        /** Milliseconds of tasks for a batch. */
        double batch() {
            return 1e3 * ofTasks() / (BATCHES + parity);
        }
    }

    @Test
    void measure() throws Exception {
        Map<String, List<Cost>> costs = new LinkedHashMap<>();
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(WORKERS, 1, 512))) {
            for (int round = 0; round < ROUNDS; round++) {
                for (String mode : MODES) {
                    List<Cost> all = queries(cluster, mode);
                    costs.computeIfAbsent(mode, absent -> new ArrayList<>()).addAll(all);
                    System.out.printf(Locale.ROOT, "round %d, %s: %s%n", round, mode, all);
                }
            }
        }
        double off = median(costs.get(MODES.get(0)), Cost::seconds);
        double batch = median(costs.get(MODES.get(0)), Cost::batch);
        costs.forEach((mode, all) -> System.out.printf(
                Locale.ROOT,
                "%s: %.3f s of processors a query of %d rows, %+.2f %%; tasks %.3f s, screening %.4f s, compilers %.3f s,"
                        + " collector %.3f s, others %.3f s; %.0f batches of parity; %.4f ms of tasks a batch, %+.2f %%%n",
                mode,
                median(all, Cost::seconds),
                ROWS,
                100 * (median(all, Cost::seconds) / off - 1),
                median(all, Cost::ofTasks),
                median(all, cost -> cost.of("screening")),
                median(all, cost -> cost.of("compilers")),
                median(all, cost -> cost.of("collector")),
                median(all, cost -> cost.of("others")),
                median(all, Cost::parity),
                median(all, Cost::batch),
                100 * (median(all, Cost::batch) / batch - 1)));
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> value) {
        return Median.of(costs.stream().mapToDouble(value).toArray());
    }

    private List<Cost> queries(StandaloneCluster cluster, String mode) throws Exception {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.paritas.screen", mode);
        settings.put("spark.executor.extraJavaOptions", "-XX:+UseSerialGC"); // and both compilers
        settings.put("spark.locality.wait", "0");
        List<Cost> costs = new ArrayList<>();
        LongAdder parity = new LongAdder();
        try (SparkSession session = SparkSession.builder().config(settings).getOrCreate()) {
            while (session.sparkContext().getExecutorIds().size() < WORKERS) {
                Thread.sleep(50);
            }
            session.sparkContext().addSparkListener(new ParityBatches(parity));
            Dataset<Row> rows = rows(session);
            List<Long> pids =
                    cluster.executors().stream().map(ExecutorProcess::pid).toList();
            for (int query = -WARM_UP; query < QUERIES; query++) {
                parity.reset();
                Duration before = spent(cluster);
                Map<String, Double> threads = ThreadTimes.of(pids);
                run(rows);
                double seconds = spent(cluster).minus(before).toMillis() / 1e3;
                Map<String, Double> own = ThreadTimes.since(threads, pids);
                Thread.sleep(200); // for the listener
                if (query >= 0) {
                    costs.add(new Cost(seconds, own, parity.sum()));
                }
            }
        }
        while (!cluster.executors().isEmpty()) {
            Thread.sleep(50);
        }
        return costs;
    }

    /** Counts parity batches of tasks that have ended. */
    private static final class ParityBatches extends SparkListener {
        private final LongAdder parity;

        ParityBatches(LongAdder parity) {
            this.parity = parity;
        }

        @Override
        public void onTaskEnd(SparkListenerTaskEnd task) {
            for (AccumulableInfo info :
                    CollectionConverters.asJava(task.taskInfo().accumulables())) {
                if (info.name().contains("parity batches computed")
                        && info.update().isDefined()) {
                    parity.add(Long.parseLong(info.update().get().toString()));
                }
            }
        }
    }

    /** Drawn digits, of the kind that the model was trained on: others would all be suspect. */
    private static Dataset<Row> rows(SparkSession session) {
        ImageSet images = new Glyphs(IMAGES, 2, SIDE, 1, 10).draw();
        List<byte[]> pixels =
                IntStream.range(0, images.size()).mapToObj(images::image).toList();
        Dataset<Row> rows = session.createDataset(pixels, Encoders.BINARY())
                .toDF("x")
                .crossJoin(session.range(ROWS / IMAGES).toDF("copy"))
                .repartition(4 * WORKERS)
                .persist();
        rows.count();
        return rows;
    }

    private void run(Dataset<Row> rows) {
        long answered = rows.select(Predict.coded(model.toString(), col("x"))
                        .option(EngineSettings.BATCH_ROWS, BATCH_ROWS)
                        .option(InputSettings.TYPE, BinaryContent.UINT8)
                        .option(InputSettings.SCALE, 1 / 255f)
                        .toColumn()
                        .as("answer"))
                .where(col("answer.prediction").getItem(0).isNotNull())
                .count();
        if (answered != ROWS) {
            throw new IllegalStateException(answered + " of " + ROWS + " rows were answered");
        }
    }

    private static Duration spent(StandaloneCluster cluster) {
        return cluster.executors().stream()
                .map(executor -> executor.handle().info().totalCpuDuration().orElseThrow())
                .reduce(Duration.ZERO, Duration::plus);
    }
}
