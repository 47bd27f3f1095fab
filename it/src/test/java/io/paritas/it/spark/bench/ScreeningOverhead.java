/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.apache.spark.sql.functions.col;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.data.Glyphs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
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
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/**
 * What screening costs coded predictions: processor time of all executors for a query, by mode, in applications of their own that take
 * turns. No test: it prints.
 *
 * <pre>{@code
 * ./mvnw -pl it -am verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=ScreeningOverhead \
 *     -Dit.clusters.skip -Dit.others.skip -Dnext.java.skip -Dbench.model=models/lenet/base.onnx
 * }</pre>
 *
 * <p>Properties: {@code bench.model} (with its parity models beside it, of images of 28 × 28), {@code bench.rows} (40000), {@code
 * bench.rounds} (3), {@code bench.queries} (4, of a round).
 */
class ScreeningOverhead {
    private static final List<String> MODES = List.of("off", "audit", "residual", "full");
    private static final int ROWS = Integer.getInteger("bench.rows", 40_000);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int QUERIES = Integer.getInteger("bench.queries", 4);
    private static final int WORKERS = 3;
    private static final int IMAGES = 1_000;
    private static final int SIDE = 28;

    private final Path model = Path.of(System.getProperty("bench.model"));

    @Test
    void measure() throws Exception {
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(WORKERS, 1, 512))) {
            for (int round = 0; round < ROUNDS; round++) {
                for (String mode : MODES) {
                    List<Double> all = queries(cluster, mode);
                    seconds.computeIfAbsent(mode, absent -> new ArrayList<>()).addAll(all);
                    System.out.printf(Locale.ROOT, "round %d, %s: %s%n", round, mode, all);
                }
            }
        }
        double off = median(seconds.get("off"));
        seconds.forEach((mode, all) -> System.out.printf(
                Locale.ROOT,
                "%s: %.3f s of processors a query of %d rows, %+.2f %% (from %.3f to %.3f)%n",
                mode,
                median(all),
                ROWS,
                100 * (median(all) / off - 1),
                all.stream().mapToDouble(one -> one).min().orElseThrow(),
                all.stream().mapToDouble(one -> one).max().orElseThrow()));
    }

    private static double median(List<Double> values) {
        return Median.of(values.stream().mapToDouble(one -> one).toArray());
    }

    private List<Double> queries(StandaloneCluster cluster, String mode) throws Exception {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.paritas.screen", mode);
        settings.put("spark.locality.wait", "0");
        List<Double> seconds = new ArrayList<>();
        try (SparkSession session = SparkSession.builder().config(settings).getOrCreate()) {
            while (session.sparkContext().getExecutorIds().size() < WORKERS) {
                Thread.sleep(50);
            }
            Dataset<Row> rows = rows(session);
            for (int query = -2; query < QUERIES; query++) {
                Duration before = spent(cluster);
                run(rows);
                if (query >= 0) {
                    seconds.add(spent(cluster).minus(before).toMillis() / 1e3);
                }
            }
        }
        while (!cluster.executors().isEmpty()) {
            Thread.sleep(50);
        }
        return seconds;
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
