/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ResidualDistribution;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.ExactModel;
import io.paritas.it.spark.ScreeningResults;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ParitasPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What screening costs a model that is served: processor time of the driver and of all executors for a thousand queries, and latencies, by
 * mode, in applications of their own that take turns. The model is linear and small, so that what is not the model's counts most. No test: it
 * checks that all answers are right and nobody is suspect, and prints. On Linux only.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=ServedScreeningOverhead
 * }</pre>
 *
 * <p>Properties: {@code bench.modes} (all, the first is what others are compared with), {@code bench.rounds} (3), {@code bench.queries} (20000, of
 * a round, after {@code bench.warmup}, 10000), {@code bench.rate} (500 queries a second).
 */
class ServedScreeningOverhead {
    private static final List<String> MODES =
            List.of(System.getProperty("bench.modes", "off,audit,residual,full").split(",", -1));
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int QUERIES = Integer.getInteger("bench.queries", 20_000);
    private static final int WARM_UP = Integer.getInteger("bench.warmup", 10_000);
    private static final int RATE = Integer.getInteger("bench.rate", 500);
    private static final int INSTANCES = 4;
    private static final int K = 2;
    private static final int FEATURES = 100;
    private static final ExactModel MODEL = ExactModel.of(FEATURES, 10, 1);
    private static final Duration START = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    /**
     * A round.
     *
     * @param driver milliseconds of its processors for a thousand queries
     * @param executors the same of all executors
     * @param screening what of both is that of screening's own threads
     * @param groups that were compared, of a thousand queries
     */
    private record Cost(double driver, double executors, double screening, double groups, Latencies latencies) {
        double all() {
            return driver + executors;
        }
    }

    @Test
    void measure() throws Exception {
        MODEL.write(folder);
        ParityModels.of(MODEL.parity(K, 1, Map.of()))
                .withResiduals(List.of(new ResidualDistribution(1000, List.of(0.0))))
                .bundle()
                .write(folder);
        Map<String, List<Cost>> costs = new LinkedHashMap<>();
        try (StandaloneCluster cluster =
                StandaloneCluster.start(new StandaloneCluster.Size(INSTANCES + INSTANCES / K, 1, 512))) {
            for (int round = 0; round < ROUNDS; round++) {
                for (String mode : MODES) {
                    Cost cost = serve(cluster, mode, round);
                    costs.computeIfAbsent(mode, absent -> new ArrayList<>()).add(cost);
                    print("round " + round + ", " + mode, cost.all(), List.of(cost));
                }
            }
        }
        double off = median(costs.get(MODES.get(0)), Cost::all);
        costs.forEach((mode, all) -> print(mode, off, all));
    }

    private static void print(String name, double off, List<Cost> costs) {
        System.out.printf(
                Locale.ROOT,
                "%s: %.1f ms of processors for 1000 queries, %+.1f %%; driver %.1f, executors %.1f, screening's threads %.2f; %.0f groups"
                        + " compared; p50 %.2f ms, p99 %.2f ms%n",
                name,
                median(costs, Cost::all),
                100 * (median(costs, Cost::all) / off - 1),
                median(costs, Cost::driver),
                median(costs, Cost::executors),
                median(costs, Cost::screening),
                median(costs, Cost::groups),
                median(costs, cost -> cost.latencies.percentile(50)),
                median(costs, cost -> cost.latencies.percentile(99)));
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> value) {
        return Median.of(costs.stream().mapToDouble(value).toArray());
    }

    private Cost serve(StandaloneCluster cluster, String mode, int seed) throws Exception {
        SparkConf conf = new SparkConf()
                .setAppName("serving")
                .set("spark.jars", SharedSpark.jars())
                .set("spark.plugins", ParitasPlugin.class.getName())
                .set("spark.paritas.screen", mode);
        cluster.settings().forEach(conf::set);
        conf.set("spark.executor.extraJavaOptions", "-XX:+UseSerialGC"); // and both compilers
        ServingPlan plan = ServingPlan.of(new SparkConf(false)
                .set(ServingSettings.MODEL.key(), folder.resolve("model.onnx").toString())
                .set(ServingSettings.INSTANCES.key(), String.valueOf(INSTANCES))
                .set(ServingSettings.K.key(), String.valueOf(K))
                .set("spark.paritas.screen", mode));
        try (JavaSparkContext context = new JavaSparkContext(conf);
                FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            Queries queries = new Queries(frontEnd, plan.served().name(), MODEL, FEATURES);
            queries.run(0, WARM_UP, RATE, seed);
            List<Long> driver = List.of(ProcessHandle.current().pid());
            List<Long> executors =
                    cluster.executors().stream().map(ExecutorProcess::pid).toList();
            Map<String, Double> driverBefore = ThreadTimes.of(driver);
            Map<String, Double> executorsBefore = ThreadTimes.of(executors);
            long groups = groups(mode);
            Latencies latencies = queries.run(0, QUERIES, RATE, seed);
            Map<String, Double> ofDriver = ThreadTimes.since(driverBefore, driver);
            Map<String, Double> ofExecutors = ThreadTimes.since(executorsBefore, executors);
            if (!mode.equals("off") && ScreeningResults.gauge("wrongBatches") > 0) {
                throw new IllegalStateException("somebody is suspect: see the log");
            }
            return new Cost(
                    perThousand(sum(ofDriver)),
                    perThousand(sum(ofExecutors)),
                    perThousand(ofDriver.getOrDefault("screening", 0.0) + ofExecutors.getOrDefault("screening", 0.0)),
                    (groups(mode) - groups) * 1e3 / QUERIES,
                    latencies);
        } finally {
            while (!cluster.executors().isEmpty()) {
                Thread.sleep(50);
            }
        }
    }

    private static long groups(String mode) {
        return mode.equals("off") ? 0 : ScreeningResults.gauge("comparedGroups");
    }

    /** Milliseconds for a thousand queries. */
    private static double perThousand(double seconds) {
        return seconds * 1e6 / QUERIES;
    }

    /** Without the compilers of young JVMs. */
    private static double sum(Map<String, Double> seconds) {
        return seconds.entrySet().stream()
                .filter(kind -> !kind.getKey().equals("compilers"))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
