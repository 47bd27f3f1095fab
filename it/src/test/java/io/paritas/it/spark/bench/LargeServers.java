/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/**
 * Three servers (k = 2) with so many units each that filling or recovering one takes minutes: it starts, trains, loses an executor by {@code
 * kill -9}, and trains on until all is recovered, with the default settings. No server may be taken for dead but the killed one, and what is
 * read must be what one machine would have. Otherwise it prints.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=LargeServers
 * }</pre>
 *
 * <p>Properties: {@code bench.units} (20000000 of each server: two thirds are rows, one third is parity), {@code bench.dimension} (64; a unit
 * takes 4 bytes for each, and 4 or 8 more). All of it is memory outside the heap: 16 GB with the defaults.
 */
class LargeServers {
    private static final int SERVERS = 3;
    private static final long UNITS = Long.getLong("bench.units", 20_000_000);
    private static final int DIMENSION = Integer.getInteger("bench.dimension", 64);
    private static final long ROWS = UNITS * 2;
    private static final int BATCH = 2_000;
    /** Of so many rows, one is kept here, too: the driver has not the memory for more. */
    private static final int KEPT_HERE = 16;

    private static final Optimizer OPTIMIZER = new Optimizer.Sgd(0.1f);
    private static final Initializer INITIAL = new Initializer(1, -1, 1);

    private final Random random = new Random(1);
    /** The rows that were updated and are kept here, as one machine would have them. */
    private final Map<Long, float[]> trained = new HashMap<>();

    @Test
    void startAndRecover() throws Exception {
        ModelSpec model = new ModelSpec(
                SERVERS,
                Redundancy.coded(SERVERS - 1),
                List.of(new TableSpec(ROWS, DIMENSION, OPTIMIZER, INITIAL)),
                List.of());
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(SERVERS + 1, 1, 512));
                SparkSession session = session(cluster)) {
            long start = System.nanoTime();
            try (ParameterServers servers = ParameterServers.start(
                            JavaSparkContext.fromSparkContext(session.sparkContext()),
                            model,
                            HostOptions.DEFAULT,
                            Duration.ofMinutes(20));
                    ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
                print(
                        "%d units of %d floats in each of %d servers, there after %.1f s",
                        UNITS, DIMENSION, SERVERS, since(start));
                double before = train(client, servers, Duration.ofMinutes(1), "before");
                assertThat(servers.state().replaced()).isZero();
                start = System.nanoTime();
                cluster.executor(servers.state().executors().get(1)).kill();
                double dead = since(start);
                iterate(client);
                print("dead after %.2f s, commits again after %.2f s", dead, since(start));
                long first = System.nanoTime();
                double batches = 0;
                while (!servers.state().isHealthy()) {
                    long part = System.nanoTime();
                    batches += train(client, servers, Duration.ofSeconds(5), "meanwhile") * since(part);
                }
                print(
                        "all recovered %.1f s after the kill; meanwhile %.0f %% of the batches of before",
                        since(start), 100 * batches / since(first) / before);
                train(client, servers, Duration.ofSeconds(20), "after");
                assertThat(servers.state().replaced())
                        .as("servers taken for dead")
                        .isEqualTo(1);
                check(client);
            }
        }
    }

    private static SparkSession session(StandaloneCluster cluster) {
        long bytes = UNITS * (DIMENSION + 2) * Float.BYTES;
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.locality.wait", "0");
        settings.put("spark.executor.extraJavaOptions", "-XX:+UseSerialGC -XX:MaxDirectMemorySize=" + bytes * 11 / 10);
        return SparkSession.builder().config(settings).getOrCreate();
    }

    /** Trains for a while; returns the batches a second. */
    private double train(ParameterClient client, ParameterServers servers, Duration length, String when)
            throws InterruptedException {
        long start = System.nanoTime();
        double longest = 0;
        int batches = 0;
        while (since(start) < length.toSeconds()) {
            long begun = System.nanoTime();
            iterate(client);
            longest = Math.max(longest, since(begun));
            batches++;
        }
        double rate = batches / since(start);
        print(
                "%s: %.1f batches/s of %d rows, the longest took %.2f s, %.0f %% recovered",
                when, rate, BATCH, longest, 100 * servers.state().recovered());
        return rate;
    }

    /** A batch of any rows: pulled, compared and updated. */
    private void iterate(ParameterClient client) throws InterruptedException {
        long[] rows = random.longs(BATCH, 0, ROWS).distinct().toArray();
        float[] gradients = pull(client, rows);
        for (int i = 0; i < rows.length; i++) {
            for (int at = 0; at < DIMENSION; at++) {
                gradients[i * DIMENSION + at] -= rows[i] % 7;
            }
            if (isKept(rows[i])) {
                float[] gradient = Arrays.copyOfRange(gradients, i * DIMENSION, (i + 1) * DIMENSION);
                OPTIMIZER.step(trained.get(rows[i]), new float[0], gradient);
            }
        }
        client.push(List.of(new RowGradients(0, rows, gradients)), List.of());
    }

    private static boolean isKept(long row) {
        return row % KEPT_HERE == 0;
    }

    /** Rows, of which those that are kept here must be as on one machine. */
    private float[] pull(ParameterClient client, long... rows) throws InterruptedException {
        float[] pulled = client.pullRows(0, rows);
        for (int i = 0; i < rows.length; i++) {
            if (!isKept(rows[i])) {
                continue;
            }
            float[] expected = trained.computeIfAbsent(rows[i], LargeServers::initial);
            assertThat(Arrays.equals(pulled, i * DIMENSION, (i + 1) * DIMENSION, expected, 0, DIMENSION))
                    .as("row %d is as on one machine", rows[i])
                    .isTrue();
        }
        return pulled;
    }

    private static float[] initial(long row) {
        float[] values = new float[DIMENSION];
        INITIAL.fill(row, values, DIMENSION);
        return values;
    }

    private void check(ParameterClient client) throws InterruptedException {
        long[] all = trained.keySet().stream().mapToLong(row -> row).toArray();
        for (int from = 0; from < all.length; from += BATCH) {
            pull(client, Arrays.copyOfRange(all, from, Math.min(all.length, from + BATCH)));
        }
        print("%d rows are right", all.length);
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
