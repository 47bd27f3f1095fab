/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Residual;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.Target;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.screen.Jury.Question;
import io.paritas.inference.serving.AnswerObserver;
import io.paritas.inference.serving.AnsweredGroup;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.InstanceAnswer;
import io.paritas.inference.serving.Role;
import io.paritas.inference.spark.screen.ScreenMessage.Next;
import io.paritas.inference.spark.screen.ScreenMessage.Speaker;
import io.paritas.inference.spark.screen.ScreenMessage.Work;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The model doubles its one value, and its parity model does. Executors 1 to 3 have an instance of it, 4 that of the parity. */
class ServedAnswersTest {
    private static final ResidualBound BOUND = new ResidualBound.Calibrated(2, List.of(0.5));
    private static final Residual SUM = new Residual(new Combinations(2, 1), Target.OUTPUTS);
    private static final Map<Role, String> MODELS = Map.of(Role.DEPLOYED, "model", Role.parity(0), "parity");

    private final Map<Instance, String> executors = IntStream.rangeClosed(1, 4)
            .boxed()
            .collect(Collectors.toMap(
                    number -> instance(number, number == 4 ? Role.parity(0) : Role.DEPLOYED), String::valueOf));
    private MetricRegistry registry;
    private DriverScreening screening;
    private ServedAnswers served;
    private boolean lying;

    @BeforeEach
    void start() {
        start(ScreenMode.RESIDUAL, 0.001);
    }

    private void start(ScreenMode mode, double share) {
        screening = new DriverScreening(
                LocalSpark.session().sparkContext(),
                new ScreenSettings(mode, share, 0.001, Duration.ofHours(1), false, 0.01, 4, ""));
        registry = new MetricRegistry();
        screening.register(registry);
        served = new ServedAnswers(screening, Optional.of(SUM), BOUND, MODELS, () -> executors);
        executors.values().forEach(this::question);
    }

    /** Looks at a group, and waits until that is done. */
    private void compare(AnsweredGroup group) {
        served.completed(group);
        settle();
    }

    private void settle() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        screening.later(() -> done.complete(null));
        done.orTimeout(1, TimeUnit.MINUTES).join();
    }

    @AfterEach
    void stop() {
        screening.close();
    }

    private static Instance instance(int number, Role role) {
        return new Instance("m-1-" + role + "-" + number, 1, role, "executor " + number + " on a");
    }

    private static InstanceAnswer answer(int number, Role role, float input, float output) {
        return new InstanceAnswer(instance(number, role), () -> new float[] {input}, new float[] {output});
    }

    /** Of the values 1 and 2, by executors 1 and 2. */
    private static AnsweredGroup group(float first, float second, float parity) {
        return new AnsweredGroup(
                0,
                List.of(answer(1, Role.DEPLOYED, 1, first), answer(2, Role.DEPLOYED, 2, second)),
                answer(4, Role.parity(0), 3, parity));
    }

    private static Speaker speaker(String executor) {
        return new Speaker(executor, "a", "cpu", "");
    }

    private Optional<Question> question(String executor) {
        return Work.decode(screening.receive(new Next(speaker(executor), 0))).question();
    }

    private long gauge(String name) {
        return ((Number) registry.getGauges().get("screening." + name).getValue()).longValue();
    }

    private List<String> column(int column) {
        return screening.reports().get(0).rows().stream()
                .sorted((one, other) -> one.get(0).compareTo(other.get(0)))
                .map(row -> row.get(column))
                .toList();
    }

    @Test
    void aGroupThatFitsCountsForThoseWhoAnswered() {
        compare(group(2, 4, 6.4f));

        assertThat(gauge("comparedGroups")).isEqualTo(1);
        assertThat(gauge("suspectGroups")).isZero();
        assertThat(column(4)).as("compared").containsExactly("1", "1", "0", "1");
    }

    /** Executor 1 is wrong, again and again; the answer of the parity has nobody else to predict it. */
    @Test
    void theOthersTellWhoWasWrong() {
        for (int i = 0; i < 4; i++) {
            compareAndAudit(group(2, 4, 9)); // so that eight answers are known
        }
        assertThat(gauge("auditedBatches")).isEqualTo(8);
        lying = true;

        compareAndAudit(group(9, 4, 6));
        compareAndAudit(group(9, 4, 6));

        assertThat(gauge("undecidedBatches")).isZero();
        assertThat(gauge("suspectGroups")).isEqualTo(6);
        assertThat(gauge("wrongBatches"))
                .as("its own, and what it says of those of 2")
                .isEqualTo(4);
        assertThat(column(2)).containsExactly("faulty", "clear", "clear", "clear");
        assertThat(column(5)).as("wrong").containsExactly("4", "0", "0", "0");
    }

    /** The model has one output: whether its first answers are near to each other, nobody knows. */
    @Test
    void nobodyIsAccusedByTheFirstAnswers() {
        lying = true;

        compareAndAudit(group(9, 4, 6));
        compareAndAudit(group(9, 4, 6));

        assertThat(gauge("undecidedBatches")).isEqualTo(4);
        assertThat(gauge("wrongBatches")).isZero();
        assertThat(column(2)).containsExactly("clear", "clear", "clear", "clear");
    }

    private void compareAndAudit(AnsweredGroup group) {
        compare(group);
        boolean more = true;
        while (more) {
            more = Stream.of("1", "2", "3", "4")
                            .filter(executor -> question(executor)
                                    .map(asked -> answer(executor, asked))
                                    .isPresent())
                            .count()
                    > 0;
        }
    }

    private Question answer(String executor, Question asked) {
        assertThat(asked.model()).isEqualTo("model");
        float right = 2 * asked.inputs()[0];
        boolean lies = lying && executor.equals("1");
        screening.receive(new ScreenMessage.Answer(
                speaker(executor), asked.id(), asked.model(), Optional.of(new float[] {lies ? 9 : right})));
        return asked;
    }

    @Test
    void noMoreThanSomeAreAuditedAtATime() {
        IntStream.range(0, 100).forEach(i -> compare(group(9, 4, 6)));

        assertThat(gauge("suspectGroups")).isEqualTo(100);
        assertThat(IntStream.range(0, 100)
                        .filter(i ->
                                question("3").map(asked -> answer("3", asked)).isPresent())
                        .count())
                .isEqualTo(2 * 16);
    }

    @Test
    void nobodyIsAccusedByAGroupThatIsNotFullOrWhoseExecutorsAreGone() {
        compare(new AnsweredGroup(0, List.of(answer(1, Role.DEPLOYED, 1, 9)), answer(4, Role.parity(0), 1, 2)));
        assertThat(gauge("comparedGroups")).isZero();
        executors.clear();

        compare(group(9, 4, 6));
        compare(group(2, 4, 6));

        assertThat(question("3")).isEmpty();
        assertThat(column(4)).containsExactly("0", "0", "0", "0");
    }

    @Test
    void whatIsTooMuchIsDroppedAndCounted() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        screening.later(() -> {
            begun.countDown();
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        begun.await();

        IntStream.range(0, 300).forEach(i -> served.completed(group(2, 4, 6)));

        assertThat(gauge("skippedGroups")).isEqualTo(300 - 256);
        busy.countDown();
    }

    /** Executors 1 to 3 predict each answer of the others again; that of the parity nobody else can. */
    @Test
    void answersArePickedByChance() {
        screening.close();
        start(ScreenMode.AUDIT, 1);

        served.answered(answer(1, Role.DEPLOYED, 1, 9));
        served.answered(answer(4, Role.parity(0), 3, 6));
        settle();

        assertThat(question("2")).hasValueSatisfying(asked -> {
            assertThat(asked.model()).isEqualTo("model");
            assertThat(asked.inputs()).containsExactly(1);
        });
        assertThat(question("3")).isEmpty();
        assertThat(question("1")).isEmpty();
    }

    @Test
    void noAnswerIsPickedWhereOnlyGroupsAreCompared() {
        screening.close();
        start(ScreenMode.RESIDUAL, 1);

        served.answered(answer(1, Role.DEPLOYED, 1, 9));
        settle();

        assertThat(question("2")).isEmpty();
    }

    private AnswerObserver observer(Optional<Residual> residual, ResidualBound bound) {
        return ServedAnswers.observer(residual, bound, MODELS, () -> executors);
    }

    @Test
    void onlyAScreenedApplicationIsObserved() {
        assertThat(observer(Optional.of(SUM), BOUND)).isSameAs(AnswerObserver.NONE);
        screening.install();

        assertThat(observer(Optional.of(SUM), BOUND).wantsGroups()).isTrue();
        assertThat(observer(Optional.of(SUM), ResidualBound.NONE).wantsGroups()).isFalse();
        assertThat(observer(Optional.empty(), BOUND).wantsGroups()).isFalse();
        assertThat(observer(Optional.empty(), BOUND)).isInstanceOf(ServedAnswers.class);
        screening.close();
        assertThat(observer(Optional.of(SUM), BOUND)).isSameAs(AnswerObserver.NONE);
    }
}
