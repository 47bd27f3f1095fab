/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.ExactModel;
import io.paritas.it.spark.SharedSpark;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Latencies of a served model while its instances suffer: coded, and with the policies that it is compared with, on the same
 * slots, one after the other in each seed (thesis, 8.3). Each executor is a process with a share of a processor, set by a control
 * group, so that this machine stands for as many hosts: it takes root on Linux. No test: it checks that all answers are right,
 * and prints.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=ServingBenchmark -Dbench.queries=33334 -Dbench.seeds=3
 * }</pre>
 *
 * <p>{@code bench.k}, {@code bench.policies}, {@code bench.hardships} and {@code bench.rates} choose what is measured.
 * {@code target/serving-NAME.csv} ({@code bench.name}) and the plots beside it are the result.
 */
class ServingBenchmark {
    private static final int K = Integer.getInteger("bench.k", 2);
    private static final int INSTANCES = Integer.getInteger("bench.instances", 4);
    private static final int FEATURES = Integer.getInteger("bench.features", 16_384);
    private static final int OUTPUTS = Integer.getInteger("bench.outputs", 64);
    private static final double SHARE = Double.parseDouble(System.getProperty("bench.share", "0.2"));
    private static final int QUERIES = Integer.getInteger("bench.queries", 5_000);
    private static final int WARM_UP = Integer.getInteger("bench.warmUp", 1_000);
    private static final int SEEDS = Integer.getInteger("bench.seeds", 3);
    private static final String NAME = System.getProperty("bench.name", "k" + K);
    private static final List<PolicyName> POLICIES = Arrays.stream(
                    System.getProperty("bench.policies", "coded,equal,hedged").split(","))
            .map(PolicyName::of)
            .toList();
    private static final List<Hardship> HARDSHIPS = Arrays.stream(
                    System.getProperty("bench.hardships", "NONE,TRANSFERS,QUOTA,FREEZE,KILL")
                            .split(","))
            .map(Hardship::valueOf)
            .toList();
    private static final double[] RATES = Arrays.stream(
                    System.getProperty("bench.rates", "200").split(","))
            .mapToDouble(Double::parseDouble)
            .toArray();
    private static final ExactModel MODEL = ExactModel.of(FEATURES, OUTPUTS, 1);
    /* Executors that have been killed start with the share of a processor that they have. */
    private static final Duration START = Duration.ofMinutes(10);

    @TempDir
    static Path folder;

    /** A run; latencies of one seed. */
    private record Run(PolicyName policy, Hardship hardship, double rate, long seed, Latencies latencies) {}

    private final List<Run> runs = new ArrayList<>();

    @Test
    void latencies() throws Exception {
        MODEL.write(folder);
        MODEL.parity(K, 1, Map.of()).write(folder);
        int slots = PolicyName.CODED.slots(INSTANCES, K, 1);
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(slots, 1, 512))) {
            Hosts hosts = new Hosts(cluster, SHARE);
            try (JavaSparkContext context = context(cluster, slots)) {
                warmUp(context);
                for (long seed = 1; seed <= SEEDS; seed++) {
                    for (Hardship hardship : HARDSHIPS) {
                        for (double rate : RATES) {
                            for (PolicyName policy : POLICIES) {
                                runs.add(run(context, hosts, policy, hardship, rate, seed));
                            }
                        }
                    }
                }
            } finally {
                cluster.close();
                hosts.close();
                print();
            }
        }
    }

    private static JavaSparkContext context(StandaloneCluster cluster, int slots) throws InterruptedException {
        SparkConf conf = new SparkConf().setAppName("serving").set("spark.jars", SharedSpark.jars());
        cluster.settings().forEach(conf::set);
        JavaSparkContext context = new JavaSparkContext(conf);
        awaitExecutors(context, slots);
        return context;
    }

    private static void awaitExecutors(JavaSparkContext context, int slots) throws InterruptedException {
        while (context.sc().getExecutorIds().size() < slots) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** So that executors have compiled what they run; without limits. */
    private void warmUp(JavaSparkContext context) throws Exception {
        for (PolicyName policy : List.of(PolicyName.EQUAL, PolicyName.CODED)) {
            try (FrontEnd frontEnd = new FrontEnd();
                    Deployment deployment = new Deployment(context, frontEnd)) {
                ServingPlan plan = plan(policy);
                deployment.deploy(plan);
                deployment.awaitReady(plan, START);
                new Queries(frontEnd, plan.served().name(), MODEL, FEATURES).run(0, 4_000, 500, 0);
            }
        }
    }

    private static ServingPlan plan(PolicyName policy) {
        return ServingPlan.of(new SparkConf(false)
                .set(ServingSettings.MODEL.key(), folder.resolve("model.onnx").toString())
                .set(ServingSettings.POLICY.key(), policy.label())
                .set(ServingSettings.INSTANCES.key(), String.valueOf(INSTANCES))
                .set(ServingSettings.K.key(), String.valueOf(K))
                .set(ServingSettings.WAITING.key(), "10000")
                .set(ServingSettings.DEADLINE.key(), "10s")
                .set("spark.paritas.input.shape", String.valueOf(FEATURES)));
    }

    private static Run run(
            JavaSparkContext context, Hosts hosts, PolicyName policy, Hardship hardship, double rate, long seed)
            throws Exception {
        awaitExecutors(context, PolicyName.CODED.slots(INSTANCES, K, 1));
        hosts.settle();
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd)) {
            ServingPlan plan = plan(policy);
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            hosts.settle();
            Thread thread = new Thread(() -> suffer(hosts, hardship, new Random(seed)), "hardship");
            thread.start();
            Latencies latencies =
                    new Queries(frontEnd, plan.served().name(), MODEL, FEATURES).run(WARM_UP, QUERIES, rate, seed);
            thread.interrupt();
            thread.join();
            for (int host = 0; host < hosts.count(); host++) {
                hosts.limit(host, 1);
            }
            Run run = new Run(policy, hardship, rate, seed, latencies);
            System.out.printf(
                    Locale.ROOT,
                    "%s, %s, %.0f/s, seed %d: p50 %.2f, p99 %.2f, p99.9 %.2f, max %.1f ms; %.1f %% reconstructed, %d"
                            + " unavailable%n",
                    policy.label(),
                    hardship.text,
                    rate,
                    seed,
                    latencies.percentile(50),
                    latencies.percentile(99),
                    latencies.percentile(99.9),
                    latencies.percentile(100),
                    100.0 * latencies.reconstructed() / QUERIES,
                    latencies.unavailable());
            return run;
        }
    }

    private static void suffer(Hosts hosts, Hardship hardship, Random random) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                hardship.step(hosts, random);
                hosts.settle();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void print() throws IOException {
        Path file = Path.of("target/serving-" + NAME + ".csv");
        try (PrintWriter csv = new PrintWriter(Files.newBufferedWriter(file))) {
            csv.println("policy,hardship,rate,seed,percentile,milliseconds");
            for (Run run : runs) {
                for (double percent : ServingPlots.LEVELS) {
                    csv.printf(
                            Locale.ROOT,
                            "%s,%s,%.0f,%d,%s,%.4f%n",
                            run.policy.label(),
                            run.hardship,
                            run.rate,
                            run.seed,
                            percent,
                            run.latencies.percentile(percent));
                }
            }
        }
        System.out.printf(
                "%d + %d instances, k = %d, %s of a processor each, %d queries a seed, medians of %d seeds%n",
                INSTANCES, PolicyName.others(INSTANCES, K), K, SHARE, QUERIES, SEEDS);
        System.out.println(
                "| hardship | queries/s | policy | p50 ms | p99 ms | p99.9 ms | (least to most) | p99.9 - p50 |"
                        + " reconstructed % | unavailable |");
        System.out.println("|---|---:|---|---:|---:|---:|---|---:|---:|---:|");
        for (Hardship hardship : HARDSHIPS) {
            for (double rate : RATES) {
                POLICIES.forEach(policy -> line(policy, hardship, rate));
            }
        }
        plots();
    }

    private void line(PolicyName policy, Hardship hardship, double rate) {
        List<Latencies> all = latencies(policy, hardship, rate);
        if (all.isEmpty()) { // it has failed before
            return;
        }
        double[] tails = sorted(all, one -> one.percentile(99.9));
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %s | %.2f | %.2f | %.2f | %.1f to %.1f | %.2f | %.1f | %d |%n",
                hardship.text,
                rate,
                policy.label(),
                median(all, one -> one.percentile(50)),
                median(all, one -> one.percentile(99)),
                tails[tails.length / 2],
                tails[0],
                tails[tails.length - 1],
                median(all, one -> one.percentile(99.9) - one.percentile(50)),
                median(all, one -> 100.0 * one.reconstructed() / QUERIES),
                all.stream().mapToLong(Latencies::unavailable).sum());
    }

    private void plots() throws IOException {
        for (Hardship hardship : HARDSHIPS) {
            Map<String, List<Latencies>> byPolicy = new LinkedHashMap<>();
            POLICIES.forEach(policy -> byPolicy.put(policy.label(), latencies(policy, hardship, RATES[0])));
            ServingPlots.tails(
                    hardship.text + ", " + RATES[0] + " queries/s",
                    byPolicy,
                    Path.of("target/serving-" + NAME + "-" + hardship.name().toLowerCase(Locale.ROOT) + ".png"));
            if (RATES.length > 1) {
                Map<String, double[]> lines = new LinkedHashMap<>();
                POLICIES.forEach(policy -> lines.put(
                        policy.label(),
                        Arrays.stream(RATES)
                                .map(rate -> median(latencies(policy, hardship, rate), one -> one.percentile(99.9)))
                                .toArray()));
                ServingPlots.rates(
                        hardship.text,
                        RATES,
                        lines,
                        Path.of("target/serving-" + NAME + "-rates-"
                                + hardship.name().toLowerCase(Locale.ROOT) + ".png"));
            }
        }
    }

    private List<Latencies> latencies(PolicyName policy, Hardship hardship, double rate) {
        return runs.stream()
                .filter(run -> run.policy == policy && run.hardship == hardship && run.rate == rate)
                .map(Run::latencies)
                .toList();
    }

    private static double[] sorted(List<Latencies> all, ToDoubleFunction<Latencies> value) {
        return all.stream().mapToDouble(value).sorted().toArray();
    }

    private static double median(List<Latencies> all, ToDoubleFunction<Latencies> value) {
        double[] sorted = sorted(all, value);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }
}
