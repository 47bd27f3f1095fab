/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelFile;
import io.paritas.inference.Outcome;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Link;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.http.Repository;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.CodedSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.JavaSparkStatusTracker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that replace each other in an application whose slots are all taken, on the Spark context of this JVM. */
class ReplacementTest {
    private static final String NAME = "linear";
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final float[] INPUT = {1, 2, 3};

    @TempDir
    private Path folder;

    private final FrontEnd frontEnd = new FrontEnd();
    private JavaSparkContext context;
    private Deployment deployment;
    private int slots;

    @BeforeEach
    void deployment() {
        context = JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        slots = context.defaultParallelism();
        deployment = new Deployment(context, frontEnd);
    }

    @AfterEach
    void end() {
        deployment.close();
        frontEnd.close();
    }

    private ServingPlan plan(String version, Map<Role, Integer> instances) throws IOException {
        ExactModel model = model(version);
        Path parent = Files.createDirectory(folder.resolve(version));
        model.parity(2, 1, Map.of()).write(parent);
        ServingPlan plan = ServingPlan.of(new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model.write(parent).toString())
                .set(ServingSettings.NAME.key(), NAME)
                .set(ServingSettings.VERSION.key(), version)
                .set(ServingSettings.POLICY.key(), instances.size() > 1 ? "coded" : "none")
                .set(CodedSettings.PARITY.key(), parent.toString())
                .set(ServingSettings.DEADLINE.key(), "30s"));
        return new ServingPlan(
                plan.served(),
                plan.files(),
                instances,
                0,
                plan.warmUp(),
                plan.options(),
                plan.cpus(),
                plan.gpus(),
                plan.bound(),
                plan.settings());
    }

    private static ExactModel model(String version) {
        return ExactModel.of(3, 2, Integer.parseInt(version));
    }

    @Test
    void aVersionOnAllSlotsIsReplacedWhileQueriesComeIn() throws Exception {
        Map<Role, Integer> instances = Map.of(Role.DEPLOYED, slots - 1, Role.parity(0), 1);
        ServingPlan first = plan("1", instances);
        ServingPlan second = plan("2", instances);
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);

        CompletableFuture<Void> replaced = deployment.replace(first, second, LIMIT);
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        while (!replaced.isDone()) {
            replies.addAll(frontEnd.predict(NAME, "", "tenant", List.of(INPUT), Duration.ZERO));
            TimeUnit.MILLISECONDS.sleep(2);
        }
        replaced.get();

        assertThat(frontEnd.model(NAME, "").version()).isEqualTo("2");
        assertThat(frontEnd.status()).hasSize(1);
        assertThat(deployment.isComplete(second)).isTrue();
        float[] former = model("1").predict(INPUT);
        float[] next = model("2").predict(INPUT);
        for (CompletableFuture<Reply> reply : replies) {
            assertThat(reply.get(1, TimeUnit.MINUTES).reason()).isEmpty();
            assertThat(reply.get().values()).isIn(former, next);
        }
    }

    /** It would ask for instances for ever, and none starts. */
    @Test
    void aReplacementEndsWithItsDeployment() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, slots));
        ServingPlan second = plan("2", Map.of(Role.DEPLOYED, slots));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);
        CompletableFuture<Void> replaced = deployment.replace(first, second, LIMIT);
        while (!frontEnd.versions(NAME).contains("2")) {
            TimeUnit.MILLISECONDS.sleep(2);
        }

        deployment.close();

        assertThatThrownBy(() -> replaced.get(1, TimeUnit.MINUTES))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("a deployment must be open to start instances of linear, version [12], and it was"
                        + " closed: make another, with another front end");
        assertThatThrownBy(() -> deployment.deploy(plan("3", Map.of(Role.DEPLOYED, 1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a deployment must be open to start instances of linear, version 3, and it was closed:"
                        + " make another, with another front end");
    }

    @Test
    void withTooFewSlotsAReplacementIsRefusedAtOnce() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, 1));
        ServingPlan second = plan("2", Map.of(Role.DEPLOYED, slots + 1));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);

        assertThatThrownBy(() -> deployment
                        .replace(first, second, Duration.ofMinutes(10))
                        .get(5, TimeUnit.MINUTES))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the replacement of linear, version 1 by linear, version 2 takes " + (slots + 1)
                        + " slots, there are " + slots
                        + ": give the application more cores or executors, or serve fewer instances");
        assertThat(frontEnd.status()).hasSize(1);
        assertThat(frontEnd.predict(NAME, "", "tenant", List.of(INPUT), Duration.ZERO)
                        .get(0)
                        .get(1, TimeUnit.MINUTES)
                        .values())
                .isEqualTo(model("1").predict(INPUT));
    }

    /** The rows of a plan are predicted by the instance itself, which joins after that: here they cannot be. */
    @Test
    void anInstanceThatCannotPredictItsWarmUpTakesNoQueries() throws Exception {
        ServingPlan bad = withoutReadyInstances(plan("1", Map.of(Role.DEPLOYED, 1)));
        deployment.deploy(bad);

        assertThatThrownBy(() -> deployment.awaitReady(bad, Duration.ofSeconds(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must be ready within 2 s, got []");
    }

    private static ServingPlan withoutReadyInstances(ServingPlan plan) {
        float[][] tooShort = {{1, 2}};
        return with(plan, plan.files(), 0, new WarmUp(tooShort), plan.gpus());
    }

    private static ServingPlan with(
            ServingPlan plan, Map<Role, ModelFile> files, int spares, WarmUp warmUp, double gpus) {
        return new ServingPlan(
                plan.served(),
                files,
                plan.instances(),
                spares,
                warmUp,
                plan.options(),
                plan.cpus(),
                gpus,
                plan.bound(),
                plan.settings());
    }

    private void awaitAdded(String version) throws InterruptedException {
        while (!frontEnd.versions(NAME).contains(version)) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** One of its two instances joins and is lost, again and again; the other never joins. */
    @Test
    void aVersionWhoseInstancesComeAndGoIsGivenUp() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, 1));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);
        Instance unsteady = new Instance("unsteady", 1, Role.DEPLOYED, "nowhere");
        Link link = new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return new CompletableFuture<>();
            }

            @Override
            public void cancel(long batch) {
                // it answers nothing
            }
        };

        CompletableFuture<Void> replaced = deployment.replace(
                first, withoutReadyInstances(plan("2", Map.of(Role.DEPLOYED, 2))), Duration.ofSeconds(2));
        awaitAdded("2");
        for (int times = 0; times < 50 && !replaced.isDone(); times++) {
            try {
                frontEnd.join(NAME, "2", unsteady, link);
            } catch (UnknownModelException e) {
                break; // it is given up
            }
            TimeUnit.MILLISECONDS.sleep(200);
            frontEnd.leave(NAME, "2", unsteady);
            TimeUnit.MILLISECONDS.sleep(200);
        }

        assertThatThrownBy(() -> replaced.get(5, TimeUnit.SECONDS))
                .hasMessageContaining("linear, version 2 is not served, its instances must be ready within 2 s each");
        assertThat(frontEnd.versions(NAME)).containsExactly("1");
    }

    /** It predicts the zeros of its warm-up, and nothing else. */
    @Test
    void aVersionThatFailsItsFirstQueriesIsGivenUp() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, 1));
        ServingPlan second = plan("2", Map.of(Role.DEPLOYED, 1));
        ServingPlan failing =
                with(second, Map.of(Role.DEPLOYED, model("2").greedy(0)), 0, second.warmUp(), second.gpus());
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);

        CompletableFuture<Void> replaced = deployment.replace(first, failing, LIMIT);
        awaitAdded("2");
        Reply asked = frontEnd.predict(NAME, "2", "tenant", List.of(INPUT), Duration.ZERO)
                .get(0)
                .get(1, TimeUnit.MINUTES);

        assertThat(asked.outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThatThrownBy(() -> replaced.get(1, TimeUnit.MINUTES))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "linear, version 2 is not served, its instances fail: of its first queries 0 were predicted,"
                                + " and 1 are unavailable, so linear, version 1 stays: see the executors' logs");
        assertThat(frontEnd.versions(NAME)).containsExactly("1");
        assertThat(values(NAME)).isEqualTo(expected(1));
    }

    /** An application on this JVM alone gives no task a GPU. */
    @Test
    void aVersionThatCannotBePreparedChangesNothing() throws Exception {
        ServingPlan plan = plan("1", Map.of(Role.DEPLOYED, 1));
        ServingPlan first = with(plan, plan.files(), 1, plan.warmUp(), 0);
        ServingPlan second = plan("2", Map.of(Role.DEPLOYED, 1));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);
        while (running() < 2) {
            TimeUnit.MILLISECONDS.sleep(20);
        }

        ServingPlan refused = with(second, second.files(), 0, second.warmUp(), 1);
        assertThatThrownBy(() -> deployment.replace(first, refused, LIMIT).get())
                .hasMessageContaining("the GPUs of a task must be at most those of an executor, 0 ");

        assertThat(frontEnd.versions(NAME)).containsExactly("1");
        assertThat(running()).isEqualTo(2);
        deployment.replace(first, second, LIMIT).get();
        assertThat(values(NAME)).isEqualTo(expected(2));
    }

    /** Tasks of the application. */
    private int running() {
        JavaSparkStatusTracker tracker = context.statusTracker();
        return Arrays.stream(tracker.getActiveStageIds())
                .map(stage -> tracker.getStageInfo(stage).numActiveTasks())
                .sum();
    }

    private CompletableFuture<Void> replace(ServingPlan former, ServingPlan next, Duration limit, Duration stalled) {
        return Background.call("replaces", () -> {
            new Replacement(deployment, frontEnd, former, next, limit, stalled).run();
            return null;
        });
    }

    /** Spark's status store learns late that its task has started. */
    @Test
    void anInstanceThatRunsWaitsForNoSlot() throws Exception {
        ServingPlan plan = plan("1", Map.of(Role.DEPLOYED, 1));
        deployment.deploy(plan);
        deployment.awaitReady(plan, LIMIT);
        context.sc().listenerBus().waitUntilEmpty();

        assertThat(deployment.waiting(plan.served(), 0)).isZero();
    }

    /** They load on the driver, but no executor can predict with them: that nothing of them runs meanwhile is no lack of slots. */
    @Test
    void aVersionThatCannotStartLeavesTheFormerOneAlone() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, 2));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);
        ServingPlan bad = withoutReadyInstances(plan("2", Map.of(Role.DEPLOYED, 1)));
        CompletableFuture<Void> replaced = replace(first, bad, Duration.ofSeconds(6), Duration.ofSeconds(2));

        while (!replaced.isDone()) {
            assertThat(deployment.kept(first.served()).deployed()).isEqualTo(2);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThatThrownBy(replaced::get)
                .hasMessageContaining("linear, version 2 is not served, its instances must be ready within 6 s each");
    }

    /** The rest of the slots is taken by another job: one instance of the former version makes room, not all. */
    @Test
    void whereOthersTookASlotOneInstanceMakesRoom() throws Exception {
        ServingPlan first = plan("1", Map.of(Role.DEPLOYED, slots - 1));
        ServingPlan second = plan("2", Map.of(Role.DEPLOYED, slots - 1));
        deployment.deploy(first);
        deployment.awaitReady(first, LIMIT);
        context.setJobGroup("others", "sleeps", true); // cancelled by an interrupt
        JavaFutureAction<Void> other =
                context.parallelize(List.of(1), 1).foreachAsync(one -> TimeUnit.MINUTES.sleep(5));
        context.clearJobGroup();
        while (running() < slots) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        CompletableFuture<Void> replaced = replace(first, second, LIMIT, Duration.ofSeconds(1));

        try {
            int fewest = slots - 1;
            while (!replaced.isDone() && frontEnd.versions(NAME).contains("1")) {
                fewest = Math.min(fewest, answering("1") + answering("2"));
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(fewest).isGreaterThanOrEqualTo(slots - 2);
            replaced.get();
            assertThat(deployment.isComplete(second)).isTrue();
        } finally {
            other.cancel(true);
        }
    }

    private int answering(String version) {
        try {
            return frontEnd.status(NAME, version).instances().size();
        } catch (UnknownModelException e) {
            return 0;
        }
    }

    @Test
    void aStartDoesNotWaitForWhatIsUnloaded() throws Exception {
        ServingPlan plan = withoutReadyInstances(plan("1", Map.of(Role.DEPLOYED, 1)));
        deployment.deploy(plan);
        deployment.remove(plan.served()).get();

        Serve.awaitReady(deployment, List.of(plan), LIMIT);

        assertThat(frontEnd.status()).isEmpty();
    }

    /** Its parity model never comes, here because it cannot be loaded: queries are answered meanwhile. */
    @Test
    void aStartWaitsLongerWhereQueriesAreAnswered() throws Exception {
        ServingPlan good = plan("1", Map.of(Role.DEPLOYED, 1, Role.parity(0), 1));
        Map<Role, ModelFile> files = Map.of(
                Role.DEPLOYED,
                good.files().get(Role.DEPLOYED),
                Role.parity(0),
                ModelFile.of("no model".getBytes(StandardCharsets.UTF_8)));
        ServingPlan plan = with(good, files, 0, good.warmUp(), good.gpus());
        deployment.deploy(plan);
        CompletableFuture<Void> started = Background.call("starts", () -> {
            Serve.awaitReady(deployment, List.of(plan), Duration.ofSeconds(1));
            return null;
        });
        while (!deployment.answers(plan)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }

        TimeUnit.SECONDS.sleep(3);
        assertThat(started).isNotDone();
        assertThat(values(NAME)).isEqualTo(expected(1));
        deployment.remove(plan.served()).get();
        started.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void write(Path folder, int seed) throws IOException {
        ExactModel.of(3, 2, seed).write(Files.createDirectories(folder));
    }

    private List<Float> values(String model) throws Exception {
        Reply reply = frontEnd.predict(model, "", "", List.of(INPUT), Duration.ofSeconds(30))
                .get(0)
                .get(1, TimeUnit.MINUTES);
        return List.of(reply.values()[0], reply.values()[1]);
    }

    private static List<Float> expected(int seed) {
        float[] values = ExactModel.of(3, 2, seed).predict(INPUT);
        return List.of(values[0], values[1]);
    }

    /** Its parity models are elsewhere, where a load of the folder alone would not find them. */
    @Test
    void aLoadThatIsRepeatedFindsNothingNew() throws Exception {
        Path models = folder.resolve("models");
        write(models.resolve("b/1"), 1);
        Path parity = Files.createDirectory(folder.resolve("parity"));
        model("1").parity(2, 1, Map.of()).write(parity);
        Path others = Files.createDirectory(folder.resolve("others"));
        model("1").wrongParity(2, 1, Map.of()).write(others);
        SparkConf conf = new SparkConf(false)
                .set(ServingSettings.MODELS.key(), models.toString())
                .set(ServingSettings.INSTANCES.key(), "1");
        Versions versions = new Versions(conf, deployment, List.of(), LIMIT);
        Map<String, String> parameters = Map.of("parity", parity.toString());

        assertThat(versions.load("b", parameters).get()).isEqualTo("1");
        assertThat(frontEnd.model("b", "").policy().label()).isEqualTo("coded, k = 2, r = 1");
        assertThat(versions.load("b", parameters).get()).isEqualTo("1");
        assertThat(versions.load("b", Map.of()).get()).isEqualTo("1");
        assertThatThrownBy(() ->
                        versions.load("b", Map.of("parity", others.toString())).get())
                .cause()
                .isInstanceOf(Repository.ConflictException.class)
                .hasMessage(
                        "the folder of a new version must have another number than b, version 1, got other files: rename "
                                + models.resolve("b/1") + " to a higher number");
    }

    /** A folder of two models, one of them in versions, on a cluster with room for one instance more. */
    @Test
    void modelsOfAFolderAreServedLoadedAndUnloaded() throws Exception {
        write(folder.resolve("a"), 1);
        write(folder.resolve("b/1"), 2);
        Files.writeString(folder.resolve("a/serving.properties"), "instances=" + (slots - 2));
        SparkConf conf = new SparkConf(false)
                .set(ServingSettings.MODELS.key(), folder.toString())
                .set(ServingSettings.INSTANCES.key(), "1")
                .set(ServingSettings.DEADLINE.key(), "30s");
        List<ServingPlan> plans = ServingPlan.all(conf);
        plans.forEach(deployment::deploy);
        for (ServingPlan plan : plans) {
            deployment.awaitReady(plan, LIMIT);
        }
        Versions versions = new Versions(conf, deployment, plans, LIMIT);
        assertThat(values("a")).isEqualTo(expected(1));
        assertThat(values("b")).isEqualTo(expected(2));

        assertThat(versions.load("b", Map.of()).get()).isEqualTo("1"); // nothing is new
        write(folder.resolve("b/1"), 6);
        assertThatThrownBy(() -> versions.load("b", Map.of()).get())
                .cause()
                .isInstanceOf(Repository.ConflictException.class)
                .hasMessage(
                        "the folder of a new version must have another number than b, version 1, got other files: rename "
                                + folder.resolve("b/1") + " to a higher number");
        write(folder.resolve("b/3"), 3);
        assertThat(versions.load("b", Map.of()).get()).isEqualTo("3");
        assertThat(values("b")).isEqualTo(expected(3));

        write(folder.resolve("c"), 4);
        Files.createDirectories(folder.resolve("damaged"));
        assertThat(versions.candidates().get())
                .extracting(Repository.Candidate::name)
                .containsExactly("a", "b", "c", "damaged");
        assertThat(versions.load("c", Map.of()).get()).isEqualTo("1");
        assertThat(values("c")).isEqualTo(expected(4));
        write(folder.resolve("d"), 5);
        assertThatThrownBy(() -> versions.load("d", Map.of()).get())
                .cause()
                .isInstanceOf(Repository.ConflictException.class)
                .hasMessageStartingWith("d, version 1 takes 1 slots, and there are not so many free: unload another");

        versions.unload("a").get();
        assertThatThrownBy(() -> values("a")).isInstanceOf(UnknownModelException.class);
        assertThat(versions.load("d", Map.of()).get()).isEqualTo("1");
        assertThat(values("d")).isEqualTo(expected(5));
        assertThatThrownBy(() -> versions.unload("a").get())
                .cause()
                .isInstanceOf(UnknownModelException.class)
                .hasMessageStartingWith("there is no model 'a', there are [a, b, c, d, damaged]");
    }
}
