/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static io.paritas.it.spark.ScreeningResults.gauge;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ResidualDistribution;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.it.Await;
import io.paritas.it.spark.FaultyExecutor.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A model is served by three executors. One begins to compute wrong values: its groups do not fit, or audits find it, and it is ended. */
class ScreenedServingIT {
    private static final int FEATURES = 8;
    private static final ExactModel MODEL = ExactModel.of(FEATURES, 4, 1);
    private static final String NAME = "linear";

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private int asked;

    private Path report() {
        return folder.resolve("findings.jsonl");
    }

    /** Instances of the model on all executors. One of the six slots is to stay free. */
    private SparkConf conf(int instances) {
        return new SparkConf(false)
                .set(ServingSettings.MODEL.key(), MODEL.write(folder).toString())
                .set(ServingSettings.NAME.key(), NAME)
                .set(ServingSettings.INSTANCES.key(), String.valueOf(instances))
                .set(EngineSettings.NAME.key(), "protected");
    }

    @Test
    void anExecutorWhoseAnswersDoNotFitTheirGroupsServesNoMore() throws Exception {
        SparkConf conf = conf(3).set("spark.paritas.screen", "residual"); // and two of the parity model
        ParityModels.of(MODEL.parity(2, 1, Map.of()))
                .withResiduals(List.of(new ResidualDistribution(1000, List.of(0.0))))
                .bundle()
                .write(folder);

        anExecutorIsEnded(ServingPlan.of(conf), "residual", "0", "comparedGroups");

        assertThat(gauge("suspectGroups")).isPositive();
    }

    @Test
    void anExecutorIsFoundByAuditsWhereNothingIsCoded() throws Exception {
        SparkConf conf = conf(5).set(ServingSettings.POLICY.key(), "none");

        anExecutorIsEnded(ServingPlan.of(conf), "audit", "1", "auditedBatches");

        assertThat(gauge("comparedGroups")).isZero();
    }

    /** Batches of the executor that computes wrong values fail, and others answer. Without protection it answers. */
    @ParameterizedTest
    @ValueSource(strings = {"off", "global"})
    void aProtectedModelAnswersNothingWrong(String protection) throws Exception {
        ServingPlan plan = ServingPlan.of(
                conf(5).set(ServingSettings.POLICY.key(), "none").set(EngineSettings.PROTECT.key(), protection));
        SparkSession session = SPARK.session(ScreeningResults.settings(SPARK.settings(), "off", "0", report()));
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment =
                        new Deployment(JavaSparkContext.fromSparkContext(session.sparkContext()), frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, Duration.ofMinutes(2));
            check(ask(frontEnd));
            spoilOne(session);

            // While others are quicker, the executor that computes wrong values gets nothing.
            if (protection.equals("global")) {
                Await.until(
                        "a batch has failed",
                        () -> {
                            check(ask(frontEnd));
                            return failedBatches(frontEnd) > 0;
                        },
                        () -> failedBatches(frontEnd));
            } else {
                Await.until("an answer is wrong", () -> !areRight(ask(frontEnd)), () -> instances(frontEnd));
            }
        }
    }

    /** @param looks the metric of what is looked at */
    private void anExecutorIsEnded(ServingPlan plan, String mode, String share, String looks) throws Exception {
        SparkSession session = SPARK.session(ScreeningResults.settings(SPARK.settings(), mode, share, report()));
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment =
                        new Deployment(JavaSparkContext.fromSparkContext(session.sparkContext()), frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, Duration.ofMinutes(2));
            Await.until(
                    "thirty were looked at",
                    () -> {
                        check(ask(frontEnd));
                        return gauge(looks) >= 30;
                    },
                    () -> gauge(looks));
            assertThat(gauge("suspectGroups")).isZero();
            assertThat(gauge("wrongBatches")).isZero();
            if (mode.equals("residual")) {
                assertThat(gauge("auditedBatches")).isZero();
            }

            String faulty = spoilOne(session);
            Await.until(
                    "executor " + faulty + " was ended",
                    () -> {
                        ask(frontEnd);
                        return SPARK.executors().stream()
                                        .noneMatch(executor -> executor.id().equals(faulty))
                                && instances(frontEnd).stream()
                                        .noneMatch(instance -> instance.where().startsWith("executor " + faulty + " "));
                    },
                    () -> gauge("suspectGroups") + " " + ScreeningResults.findings(report()) + instances(frontEnd));

            check(ask(frontEnd));
            assertThat(ScreeningResults.findings(report())).isNotEmpty().allSatisfy(finding -> {
                assertThat(finding.get("executor").asText()).isEqualTo(faulty);
                assertThat(finding.get("reason").asText()).isEqualTo(mode.equals("audit") ? "chance" : mode);
            });
            assertThat(gauge("faultyExecutors")).isEqualTo(1);
            assertThat(gauge("endedExecutors")).isEqualTo(1);
        }
    }

    /** The executor with the slot that is free, where a task comes to: it has an instance in the other one. */
    private static String spoilOne(SparkSession session) {
        String free = session.range(0, 1, 1, 1)
                .map((MapFunction<Long, String>) row -> SparkEnv.get().executorId(), Encoders.STRING())
                .first();
        var rows = session.range(0, 1, 1, 1).toDF();
        List<Row> spoilt = rows.mapPartitions(new FaultyExecutor(free, Kind.LASTING, 1), Encoders.row(rows.schema()))
                .collectAsList();
        assertThat(spoilt).hasSize(1);
        return free;
    }

    /** Twenty groups, one after the other. */
    private List<CompletableFuture<Reply>> ask(FrontEnd frontEnd) throws Exception {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int group = 0; group < 20; group++) {
            replies.addAll(frontEnd.predict(
                    NAME, "", "tenant", List.of(input(asked), input(asked + 1)), Duration.ofSeconds(30)));
            asked += 2;
            TimeUnit.MILLISECONDS.sleep(4);
        }
        for (CompletableFuture<Reply> reply : replies) {
            reply.get(1, TimeUnit.MINUTES);
        }
        return replies;
    }

    private void check(List<CompletableFuture<Reply>> replies) {
        int first = asked - replies.size();
        for (int i = 0; i < replies.size(); i++) {
            Reply reply = replies.get(i).join();
            assertThat(reply.reason()).isEmpty();
            assertThat(reply.values())
                    .as("query %s, %s", first + i, reply.outcome())
                    .usingElementComparator((a, b) -> Float.compare(a + 0f, b + 0f)) // no zero is negative
                    .containsExactly(MODEL.predict(input(first + i)));
        }
    }

    private boolean areRight(List<CompletableFuture<Reply>> replies) {
        try {
            check(replies);
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    private static long failedBatches(FrontEnd frontEnd) {
        return frontEnd.status(NAME, "").meter().events().get("failed");
    }

    private static float[] input(int query) {
        float[] input = new float[FEATURES];
        for (int i = 0; i < FEATURES; i++) {
            input[i] = (query * 7 + i * 3) % 11 - 5;
        }
        return input;
    }

    private static List<Instance> instances(FrontEnd frontEnd) {
        return List.copyOf(frontEnd.status(NAME, "").instances().keySet());
    }
}
