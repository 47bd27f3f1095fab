/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.spark.CodedClient;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingHandle;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.ExactModel;
import io.paritas.it.Await;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Instances in real executors, which are killed and frozen while queries come in. The model is linear: all answers are known. */
@Order(SparkClusters.PLAIN)
@Tag(SparkClusters.SHARED)
class ServingIT {
    private static final System.Logger LOG = System.getLogger(ServingIT.class.getName());
    private static final int FEATURES = 8;
    private static final ExactModel MODEL = ExactModel.of(FEATURES, 4, 1);
    private static final String NAME = "linear";
    private static final Duration START = Duration.ofMinutes(2);
    private static final long MILLIS_BETWEEN = 2;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private JavaSparkContext context() throws Exception {
        return JavaSparkContext.fromSparkContext(SPARK.session().sparkContext());
    }

    /** Two instances of the model and one of its parity model. */
    private ServingPlan plan(String version) {
        return ServingPlan.of(conf(version));
    }

    private SparkConf conf(String version) {
        Path model = MODEL.write(folder);
        MODEL.parity(2, 1, Map.of()).write(folder);
        return serving(model, version);
    }

    private static SparkConf serving(Path model, String version) {
        return new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model.toString())
                .set(ServingSettings.NAME.key(), NAME)
                .set(ServingSettings.VERSION.key(), version)
                .set(ServingSettings.DEADLINE.key(), "30s");
    }

    @Test
    void noQueryIsLostWhenInstancesAreKilledAndFrozenUnderLoad() throws Exception {
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context(), frontEnd)) {
            ServingPlan plan = plan("1");
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();

            ask(frontEnd, replies, 200);
            Instance killed = instance(frontEnd, Role.DEPLOYED);
            executor(killed).kill();
            ask(frontEnd, replies, 400);
            Await.until(
                    "another instance is in the place of " + killed,
                    () -> instances(frontEnd).stream()
                            .anyMatch(instance ->
                                    instance.id().equals(killed.id()) && instance.generation() > killed.generation()),
                    () -> instances(frontEnd));
            Await.until("all are back", () -> deployment.isComplete(plan), () -> instances(frontEnd));
            ExecutorProcess frozen = executor(instance(frontEnd, Role.DEPLOYED));
            frozen.freeze();
            askAtOnce(frontEnd, replies, 200);
            Map<Outcome, Integer> outcomes = check(replies);
            frozen.thaw();

            assertThat(outcomes).containsOnlyKeys(Outcome.PREDICTED, Outcome.RECONSTRUCTED);
        }
    }

    /** Two instances of the model, and one more that answers what the encoder network makes. */
    @Test
    void aLearnedCodeMakesUpForAFrozenInstance() throws Exception {
        MODEL.learned(2, 0).write(folder);
        Path model = folder.resolve("images.onnx");
        MODEL.forImages().write(model);
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context(), frontEnd)) {
            ServingPlan plan = ServingPlan.of(serving(model, "1"));
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();

            ask(frontEnd, replies, 100);
            ExecutorProcess frozen = executor(instance(frontEnd, Role.DEPLOYED));
            frozen.freeze();
            askAtOnce(frontEnd, replies, 200);
            Map<Outcome, Integer> outcomes = check(replies);
            frozen.thaw();

            assertThat(outcomes).containsOnlyKeys(Outcome.PREDICTED, Outcome.RECONSTRUCTED);
        }
    }

    @Test
    void aSpareStandsInForAKilledInstance() throws Exception {
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context(), frontEnd)) {
            ServingPlan plan = ServingPlan.of(conf("1")
                    .set(ServingSettings.POLICY.key(), "none")
                    .set(ServingSettings.SPARES.key(), "1")); // two instances and a spare, an executor for each
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            List<ExecutorProcess> before = SPARK.executors();

            ask(frontEnd, replies, 50);
            Instance killed = instance(frontEnd, Role.DEPLOYED);
            long start = System.nanoTime();
            executor(killed).kill();
            Await.until(
                    "the spare answers for " + killed,
                    () -> instances(frontEnd).stream()
                            .anyMatch(instance -> instance.id().equals(killed.id())
                                    && instance.generation() > killed.generation()
                                    && before.stream().anyMatch(executor -> isAt(executor, instance))),
                    () -> instances(frontEnd));
            LOG.log(
                    Level.INFO,
                    "a spare stood in after {0} ms",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            ask(frontEnd, replies, 200);

            assertThat(check(replies)).containsOnlyKeys(Outcome.PREDICTED);
            Await.until(
                    "the instance is back, on a new executor",
                    () -> instances(frontEnd).stream()
                            .allMatch(instance -> before.stream()
                                            .filter(executor -> isAt(executor, instance))
                                            .count()
                                    == (instance.id().equals(killed.id()) ? 0 : 1)),
                    () -> instances(frontEnd));
            ask(frontEnd, replies, 20);
            assertThat(check(replies)).containsOnlyKeys(Outcome.PREDICTED);
        }
    }

    @Test
    void aVersionIsReplacedUnderLoadAndItsInstancesEnd() throws Exception {
        JavaSparkContext context = context();
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd)) {
            ServingPlan first = plan("1");
            ServingPlan second = plan("2");
            deployment.deploy(first);
            deployment.awaitReady(first, START);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();

            ask(frontEnd, replies, 50);
            CompletableFuture<Void> replaced = deployment.replace(first, second, START);
            while (!replaced.isDone()) {
                ask(frontEnd, replies, 10);
            }
            replaced.get();
            ask(frontEnd, replies, 50);

            assertThat(check(replies).keySet()).isSubsetOf(Outcome.PREDICTED, Outcome.RECONSTRUCTED);
            assertThat(frontEnd.model(NAME, "").version()).isEqualTo("2");
            assertThat(frontEnd.status()).hasSize(1);
            Await.until("the old instances have ended", () -> jobs(context) == second.slots(), () -> jobs(context));
        }
        Await.until("all instances have ended", () -> jobs(context) == 0, () -> jobs(context));
    }

    @Test
    void tasksAreClientsOfTheInstances() throws Exception {
        JavaSparkContext context = context();
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd)) {
            ServingPlan plan = plan("1");
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            ServingHandle handle = deployment.handle(plan);

            List<String> answers = context.parallelize(
                            IntStream.range(0, 200).boxed().toList(), 2)
                    .mapPartitions(numbers -> {
                        CodedClient client = CodedClient.open(handle);
                        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> client.close());
                        Iterator<float[]> queries =
                                stream(numbers).map(ServingIT::input).iterator();
                        Iterator<Reply> replies = client.predict("tenant", queries, 8);
                        return stream(replies).map(ServingIT::text).iterator();
                    })
                    .collect();

            assertThat(answers)
                    .containsExactlyElementsOf(IntStream.range(0, 200)
                            .mapToObj(number -> text(new Reply(Outcome.PREDICTED, MODEL.predict(input(number)), "")))
                            .toList());
        }
    }

    private static <T> Stream<T> stream(Iterator<T> elements) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(elements, Spliterator.ORDERED), false);
    }

    /** The values, and nothing else if there are any; no zero is negative. */
    private static String text(Reply reply) {
        float[] values = reply.values() == null ? new float[0] : reply.values().clone();
        for (int i = 0; i < values.length; i++) {
            values[i] += 0f;
        }
        return Arrays.toString(values) + reply.reason();
    }

    private static int jobs(JavaSparkContext context) {
        return context.statusTracker().getActiveJobIds().length;
    }

    private static void ask(FrontEnd frontEnd, List<CompletableFuture<Reply>> replies, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            replies.addAll(frontEnd.predict(NAME, "", "tenant", List.of(input(replies.size())), Duration.ZERO));
            TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN);
        }
    }

    /** Each idle instance gets some of so many queries, also one that was slow before. */
    private static void askAtOnce(FrontEnd frontEnd, List<CompletableFuture<Reply>> replies, int count) {
        List<float[]> inputs = IntStream.range(replies.size(), replies.size() + count)
                .mapToObj(ServingIT::input)
                .toList();
        replies.addAll(frontEnd.predict(NAME, "", "tenant", inputs, Duration.ZERO));
    }

    private static float[] input(int query) {
        float[] input = new float[FEATURES];
        for (int i = 0; i < FEATURES; i++) {
            input[i] = (query * 7 + i * 3) % 11 - 5;
        }
        return input;
    }

    /** Every query has its reply, and the right one; returns how they were obtained. */
    private static Map<Outcome, Integer> check(List<CompletableFuture<Reply>> replies) throws Exception {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int query = 0; query < replies.size(); query++) {
            Reply reply = replies.get(query).get(1, TimeUnit.MINUTES);
            outcomes.merge(reply.outcome(), 1, Integer::sum);
            assertThat(reply.reason()).as("query %s", query).isEmpty();
            assertThat(reply.values())
                    .as("query %s, %s", query, reply.outcome())
                    .usingElementComparator((a, b) -> Float.compare(a + 0f, b + 0f)) // no zero is negative
                    .containsExactly(MODEL.predict(input(query)));
        }
        return outcomes;
    }

    private static List<Instance> instances(FrontEnd frontEnd) {
        return List.copyOf(frontEnd.status(NAME, "").instances().keySet());
    }

    private static Instance instance(FrontEnd frontEnd, Role role) {
        return instances(frontEnd).stream()
                .filter(instance -> instance.role().equals(role))
                .findFirst()
                .orElseThrow();
    }

    private static ExecutorProcess executor(Instance instance) {
        return SPARK.executors().stream()
                .filter(executor -> isAt(executor, instance))
                .findAny()
                .orElseThrow();
    }

    private static boolean isAt(ExecutorProcess executor, Instance instance) {
        return instance.where().startsWith("executor " + executor.id() + " ");
    }
}
