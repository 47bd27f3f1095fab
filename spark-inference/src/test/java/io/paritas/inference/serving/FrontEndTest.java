/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.paritas.inference.ModelException;
import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.serving.trace.TraceSpan;
import io.paritas.inference.serving.trace.Traces;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FrontEndTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 13);
    private static final float[] QUERY = new float[3];
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final ThreadFactory NO_THREADS = task -> {
        throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
    };

    private final FrontEnd frontEnd = new FrontEnd();

    @AfterEach
    void end() {
        frontEnd.close();
    }

    private static ServedModel model(Policy policy, Limits limits) {
        return model("1", policy, limits);
    }

    private static ServedModel model(String version, Policy policy, Limits limits) {
        return model("linear", version, policy, limits);
    }

    private static ServedModel model(String name, String version, Policy policy, Limits limits) {
        return new ServedModel(
                name,
                version,
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(2)),
                policy,
                limits);
    }

    @Test
    void moreQueriesThanMayEverWaitAreAnError() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT.withWaiting(2)));

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        frontEnd.predict("linear", "", "tenant", Collections.nCopies(3, QUERY), Duration.ofMinutes(1)))
                .withMessage("the queries that are asked of the model linear, version 1 at once must be at most 2, as"
                        + " many as may wait for an instance, got 3: ask for fewer at once");
        assertThat(frontEnd.predict("linear", "", "tenant", Collections.nCopies(2, QUERY), Duration.ofMinutes(1)))
                .hasSize(2);
    }

    /** As where memory was short when the answer came. */
    @Test
    void anAnswerThatWasLostIsFoundByTheWatch() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        AtomicBoolean lost = new AtomicBoolean();
        CompletableFuture<float[][]> answer = new CompletableFuture<>() {
            @Override
            public <U> CompletableFuture<U> handle(BiFunction<? super float[][], Throwable, ? extends U> listener) {
                if (!lost.getAndSet(true)) {
                    throw new OutOfMemoryError("there is no room for a listener: thrown on purpose by this test");
                }
                return super.handle(listener);
            }
        };
        answer.complete(new float[][] {{7, 0}});
        frontEnd.join("linear", "1", new Instance("a", 0, Role.DEPLOYED, "a"), answering(() -> answer));

        assertThat(frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofHours(1))
                        .get(0))
                .succeedsWithin(LONG)
                .satisfies(reply -> assertThat(reply.values()).containsExactly(7, 0));
    }

    /** Rows of images: a thousand of them, as many as may wait, would fill the heap. */
    @Test
    void theRowsOfAllModelsWithoutAReplyHaveABoundInBytes() {
        try (FrontEnd small = new FrontEnd(Traces.OFF, new RowMemory(5 * 12))) {
            small.add(model("a", "1", new Policy.Uncoded(), Limits.DEFAULT));
            small.add(model("b", "1", new Policy.Uncoded(), Limits.DEFAULT));
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            replies.addAll(small.predict("a", "", "", Collections.nCopies(3, QUERY), LONG));
            replies.addAll(small.predict("b", "", "", Collections.nCopies(2, QUERY), LONG));

            assertThatThrownBy(() -> small.predict("a", "", "", List.of(QUERY), LONG))
                    .isInstanceOf(RejectedException.class)
                    .hasMessage(
                            "the rows of all queries without a reply must have at most 60 bytes together, got 12 more"
                                    + " than the 60 that they have: ask again, or raise Java's heap");
            assertThat(small.status("a", "").meter().events()).containsEntry("rejected", 1L);

            replies.get(4).cancel(false);
            replies.addAll(small.predict("a", "", "", List.of(QUERY), LONG));
            small.join("a", "1", new Instance("a", 0, Role.DEPLOYED, "a"), answering("1"));
            small.join("b", "1", new Instance("b", 0, Role.DEPLOYED, "b"), answering("1"));
            replies.remove(4);
            assertThat(CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new)))
                    .succeedsWithin(LONG);

            List<CompletableFuture<Reply>> alone = List.of();
            while (alone.isEmpty()) {
                try {
                    alone = small.predict("a", "", "", Collections.nCopies(9, QUERY), LONG);
                } catch (RejectedException e) {
                    Thread.onSpinWait(); // a moment after their replies the others have given back their room
                }
            }
            assertThat(alone).allSatisfy(reply -> assertThat(reply).succeedsWithin(LONG));
            assertThat(small.drain()).succeedsWithin(LONG);
        }
    }

    /** As who wants to wait for ever may say it. */
    @ParameterizedTest
    @MethodSource("longest")
    void aDeadlineBeyondAllTimesNeverComes(Duration deadline) {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        CompletableFuture<Reply> reply = frontEnd.predict("linear", "", "tenant", List.of(QUERY), deadline)
                .get(0);

        join("1", "a", "1");

        assertThat(reply.completeOnTimeout(Reply.unavailable("lost"), 1, TimeUnit.MINUTES)
                        .join()
                        .values())
                .containsExactly(1, 0);
        assertThat(frontEnd.drain()).succeedsWithin(LONG);
    }

    @Test
    void aDeadlineOfLessThanAMillisecondIsNamedAsItIs() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));

        assertThat(frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofNanos(300_000))
                        .get(0))
                .succeedsWithin(LONG)
                .isEqualTo(Reply.unavailable("no answer within 300 microseconds"));
    }

    static Stream<Duration> longest() {
        return Stream.of(ChronoUnit.FOREVER.getDuration(), Duration.ofNanos(Long.MAX_VALUE));
    }

    static Stream<Supplier<CompletableFuture<float[][]>>> failures() {
        return Stream.of(
                () -> {
                    throw new OutOfMemoryError("thrown on purpose, as where there is no room for a message");
                },
                () -> {
                    throw new NoClassDefFoundError("thrown on purpose");
                },
                () -> CompletableFuture.failedFuture(new IllegalStateException("")),
                () -> CompletableFuture.failedFuture(new IllegalStateException()));
    }

    /** The instance is free again, and its query is sent once more. */
    @ParameterizedTest
    @MethodSource("failures")
    void aBatchThatFailsIsTriedAgainWhateverTheFailure(Supplier<CompletableFuture<float[][]>> failure) {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        Queue<Supplier<CompletableFuture<float[][]>>> answers = new ConcurrentLinkedQueue<>(List.of(failure));
        frontEnd.join("linear", "1", new Instance("a", 0, Role.DEPLOYED, "a"), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return answers.isEmpty()
                        ? CompletableFuture.completedFuture(new float[][] {{1, 0}})
                        : answers.remove().get();
            }

            @Override
            public void cancel(long batch) {}
        });

        Reply reply = frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofSeconds(20))
                .get(0)
                .join();

        assertThat(reply.outcome()).isEqualTo(Outcome.PREDICTED);
        assertThat(frontEnd.status("linear", "").meter().events()).containsEntry("failed", 1L);
    }

    private static final String NOT_ANSWERED =
            "a must answer 2 values for each of 1 queries and did not: does it run another model?";

    static Stream<Arguments> wrongAnswers() {
        return Stream.of(
                Arguments.of(CompletableFuture.completedFuture(null), NOT_ANSWERED),
                Arguments.of(CompletableFuture.completedFuture(new float[][] {null}), NOT_ANSWERED),
                Arguments.of(CompletableFuture.completedFuture(new float[0][]), NOT_ANSWERED),
                Arguments.of(CompletableFuture.completedFuture(new float[][] {{1, 0}, {1, 0}}), NOT_ANSWERED),
                Arguments.of(CompletableFuture.completedFuture(new float[][] {{1}}), NOT_ANSWERED),
                Arguments.of(CompletableFuture.completedFuture(new float[][] {{1, 0, 0}}), NOT_ANSWERED),
                Arguments.of(null, "a must return a future of its answer, got null"));
    }

    @ParameterizedTest
    @MethodSource("wrongAnswers")
    void aLinkThatAnswersOtherRowsOrNullHasFailed(CompletableFuture<float[][]> answer, String reason) {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        frontEnd.join("linear", "1", new Instance("a", 0, Role.DEPLOYED, "a"), answering(() -> answer));

        Reply reply = frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofSeconds(2))
                .get(0)
                .join();

        assertThat(reply).isEqualTo(Reply.unavailable(reason));
        assertThat(frontEnd.status("linear", "").meter().events()).containsEntry("failed", 3L);
        assertThat(frontEnd.lane("linear", "1").kept()).isZero();
    }

    @Test
    void aBatchThatFailsIsTriedAgainThoughItCannotBeLogged() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        AtomicInteger batches = new AtomicInteger();
        frontEnd.join("linear", "1", new Instance("a", 0, Role.DEPLOYED, "a"), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return batches.getAndIncrement() == 0
                        ? CompletableFuture.failedFuture(new IllegalStateException("an index is out of range"))
                        : CompletableFuture.completedFuture(new float[][] {{1, 0}});
            }

            @Override
            public void cancel(long batch) {}
        });
        try (FullLog log = new FullLog(Lane.class)) {
            assertThat(log.isStarted()).isTrue();

            assertThat(frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofSeconds(2))
                            .get(0)
                            .join()
                            .outcome())
                    .isEqualTo(Outcome.PREDICTED);
        }
    }

    private static Stream<Throwable> failuresOfDecoders() {
        return Stream.of(
                new ModelException("thrown on purpose"),
                new OutOfMemoryError("thrown on purpose"),
                new UnsatisfiedLinkError("thrown on purpose"));
    }

    /** The networks of a learned code need memory, which may be short, and libraries. */
    @ParameterizedTest
    @MethodSource("failuresOfDecoders")
    void aDecoderThatFailsReconstructsNothingAndLeavesNothing(Throwable failure) {
        frontEnd.add(model(
                new Policy.Coded(
                        new Code(
                                new Undecodable(
                                        new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS),
                                        failure),
                                1,
                                List.of(3),
                                InputRange.FINITE,
                                Map.of()),
                        Duration.ofMillis(5),
                        0),
                Limits.DEFAULT));
        Instance silent = new Instance("silent", 0, Role.DEPLOYED, "silent");
        frontEnd.join("linear", "1", silent, answering(CompletableFuture::new));
        join("1", "a", "1");
        join("1", Role.parity(0), "b", "2");

        List<CompletableFuture<Reply>> replies =
                frontEnd.predict("linear", "", "tenant", List.of(QUERY, QUERY), Duration.ofMinutes(1));
        assertThat(replies.get(0)).isNotDone();
        frontEnd.leave("linear", "1", silent);

        assertThat(replies.stream().map(reply -> reply.join().outcome()))
                .containsExactly(Outcome.PREDICTED, Outcome.PREDICTED);
        assertThat(frontEnd.lane("linear", "1").kept()).isZero();
    }

    private void join(String version, String id, String answers) {
        join(version, Role.DEPLOYED, id, answers);
    }

    private void join(String version, Role role, String id, String answers) {
        frontEnd.join("linear", version, new Instance(id, 0, role, id), answering(answers));
    }

    private static Link answering(String answers) {
        return new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return CompletableFuture.completedFuture(
                        Collections.nCopies(inputs.length, new float[] {Float.parseFloat(answers), 0})
                                .toArray(float[][]::new));
            }

            @Override
            public void cancel(long batch) {}
        };
    }

    private String version() {
        return String.valueOf(frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofMinutes(1))
                .get(0)
                .join()
                .values()[0]);
    }

    /** Two versions, which answer with their numbers; the second one shares the queries of the first. */
    private void share() {
        frontEnd.add(model("1", new Policy.Uncoded(), Limits.DEFAULT));
        frontEnd.add(model("2", new Policy.Uncoded(), Limits.DEFAULT));
        join("1", "a", "1");
        join("1", "b", "1");
        frontEnd.share("linear", "2");
    }

    @Test
    void versionsShareQueriesAsTheyHaveInstances() {
        share();
        assertThat(Stream.generate(this::version).limit(6)).containsOnly("1.0");

        join("2", "c", "2");
        assertThat(Stream.generate(this::version).limit(6))
                .containsExactlyInAnyOrder("1.0", "1.0", "1.0", "1.0", "2.0", "2.0");
        assertThat(frontEnd.model("linear", "").version()).isEqualTo("1");

        assertThat(frontEnd.retire("linear", "2")).succeedsWithin(LONG);
        assertThat(Stream.generate(this::version).limit(6)).containsOnly("1.0");
        assertThat(frontEnd.has("linear")).isTrue();
        assertThat(frontEnd.retire("linear", "1")).succeedsWithin(LONG);
        assertThat(frontEnd.has("linear")).isFalse();
    }

    @Test
    void theCurrentVersionIsNotRetiredWhileThereIsAnother() {
        share();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> frontEnd.retire("linear", "1"))
                .withMessage("the version that is retired must not be the current one, got linear, version 1:"
                        + " promote another version first");
        assertThat(version()).isEqualTo("1.0");
    }

    @Test
    void aNegativeDeadlineIsRefused() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> frontEnd.predict("linear", "", "", List.of(QUERY), Duration.ofMillis(-1)))
                .withMessage("a deadline must not be negative, got PT-0.001S");
    }

    /** Two may retire a version, and a new one may have taken its place since. */
    @Test
    void aVersionThatIsRetiredTwiceTakesNoOtherWithIt() {
        add("a");
        CompletableFuture<Reply> last =
                frontEnd.predict("a", "", "", List.of(QUERY), LONG).get(0);
        CompletableFuture<Void> first = frontEnd.retire("a", "1");
        CompletableFuture<Void> second = frontEnd.retire("a", "1");
        CompletableFuture<Void> added = CompletableFuture.anyOf(first, second).thenRun(() -> add("a"));

        last.cancel(false);

        assertThat(CompletableFuture.allOf(first, second, added)).succeedsWithin(LONG);
        assertThat(frontEnd.versions("a")).containsExactly("1");
        assertThat(frontEnd.has("a")).isTrue();
    }

    @Test
    void theLinkOfAnInstanceThatIsReplacedIsNotKept() {
        add("a");
        for (int generation = 0; generation < 3; generation++) {
            frontEnd.join(
                    "a", "1", new Instance("i", generation, Role.DEPLOYED, "here"), answering(CompletableFuture::new));
        }

        assertThat(frontEnd.lane("a", "1").kept()).isZero();
        frontEnd.leave("a", "1", new Instance("i", 2, Role.DEPLOYED, "here"));
        assertThat(frontEnd.lane("a", "1").kept()).isZero();
    }

    @Test
    void aFaultOfWhoLooksAtAnswersChangesNoReply() {
        List<float[]> seen = new ArrayList<>();
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT), new AnswerObserver() {
            @Override
            public void answered(InstanceAnswer answer) {
                seen.add(answer.values());
                throw new IllegalStateException("thrown on purpose by this test");
            }
        });
        join("1", "a", "1");

        assertThat(Stream.generate(this::version).limit(3)).containsOnly("1.0");
        assertThat(seen).hasSize(3);
    }

    @Test
    void aPromotedVersionGetsAllQueries() {
        share();
        join("2", "c", "2");
        frontEnd.promote("linear", "2");

        assertThat(Stream.generate(this::version).limit(6)).containsOnly("2.0");
    }

    private void replace(String former, String next) {
        frontEnd.add(model(next, new Policy.Uncoded(), Limits.DEFAULT));
        join(next, next, next);
        frontEnd.promote("linear", next);
        assertThat(frontEnd.retire("linear", former)).succeedsWithin(LONG);
    }

    /** To read a query for a version may take longer than to replace that version. */
    @Test
    void aQueryWhoseVersionIsGoneWhenItIsReadGoesToTheOneInItsPlace() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        List<String> asked = new ArrayList<>();

        List<CompletableFuture<Reply>> replies = frontEnd.atTurn("linear", "", model -> {
            asked.add(model.version());
            if (asked.size() < 3) {
                replace(model.version(), String.valueOf(asked.size() + 1));
            }
            return frontEnd.predict("linear", model.version(), "tenant", List.of(QUERY), LONG);
        });

        assertThat(asked).containsExactly("1", "2", "3");
        assertThat(replies.get(0).join().values()).containsExactly(3, 0);
    }

    /** A new version that is faulty is soon replaced by the former one. */
    @Test
    void aQueryWhoseVersionIsGoneGoesToItAgainWhenItIsBack() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        List<String> asked = new ArrayList<>();

        List<CompletableFuture<Reply>> replies = frontEnd.atTurn("linear", "", model -> {
            asked.add(model.version());
            if (asked.size() < 3) {
                replace(model.version(), model.version().equals("1") ? "2" : "1");
            }
            return frontEnd.predict("linear", model.version(), "tenant", List.of(QUERY), LONG);
        });

        assertThat(asked).containsExactly("1", "2", "1");
        assertThat(replies.get(0).join().values()).containsExactly(1, 0);
    }

    @Test
    void aQueryWhoseVersionIsGoneAndHasNoneInItsPlaceIsRefused() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT));
        assertThatThrownBy(() -> frontEnd.atTurn("linear", "1", model -> {
                    replace("1", "2");
                    return frontEnd.predict("linear", model.version(), "tenant", List.of(QUERY), LONG);
                }))
                .isInstanceOf(UnknownModelException.class)
                .hasMessage("there is no model 'linear' with version '1', there are [linear (2)]");

        assertThatThrownBy(() -> frontEnd.atTurn("linear", "", model -> {
                    assertThat(frontEnd.retire("linear", "2")).succeedsWithin(LONG);
                    return frontEnd.predict("linear", model.version(), "tenant", List.of(QUERY), LONG);
                }))
                .isInstanceOf(UnknownModelException.class)
                .hasMessage("there is no model 'linear', there are []");
    }

    /** Who names no version must not learn of one that is gone. */
    @Test
    @Timeout(60)
    void aModelIsThereWhileItsVersionsAreReplaced() throws InterruptedException {
        frontEnd.add(model("0", new Policy.Uncoded(), Limits.DEFAULT));
        AtomicBoolean replaced = new AtomicBoolean();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> clients = Stream.generate(() -> new Thread(() -> {
                    while (!replaced.get() && failures.isEmpty()) {
                        frontEnd.model("linear", "");
                        frontEnd.atTurn("linear", "", ServedModel::version);
                    }
                }))
                .limit(3)
                .toList();
        clients.forEach(client -> client.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure)));
        clients.forEach(Thread::start);

        try {
            for (int version = 1; version <= 500; version++) {
                replace(String.valueOf(version - 1), String.valueOf(version));
            }
        } finally {
            replaced.set(true);
        }
        for (Thread client : clients) {
            client.join();
        }

        assertThat(failures).isEmpty();
    }

    private void add(String name) {
        frontEnd.add(model(name, "1", new Policy.Uncoded(), Limits.DEFAULT));
    }

    /** Its instance never answers. */
    private Instance joinSilent(String name) {
        Instance silent = new Instance(name, 0, Role.DEPLOYED, name);
        frontEnd.join(name, "1", silent, answering(CompletableFuture::new));
        return silent;
    }

    @Test
    void atTheStartAllModelsMustBeReady() {
        assertThat(frontEnd.isReady()).isFalse();
        add("a");
        add("b");
        joinSilent("a");
        assertThat(frontEnd.isReady()).isFalse();

        joinSilent("b");
        assertThat(frontEnd.isReady()).isTrue();
    }

    /** Each instance that joins would ask all models, at a start with many. */
    @Test
    void aStartWithMoreModelsCostsNoMoreForEach() {
        long few = allocatedByStart("few", 50);
        long many = allocatedByStart("many", 200);
        assertThat(many).isLessThan(8 * few);
    }

    private long allocatedByStart(String name, int models) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        add(name); // is not ready until the end
        IntStream.range(0, models).forEach(i -> add(name + i));
        long before = threads.getCurrentThreadAllocatedBytes();
        IntStream.range(0, models).forEach(i -> joinSilent(name + i));
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void anUnknownModelsMessageNamesTenOthersAtMost() {
        IntStream.range(0, 10).forEach(i -> add("m" + i));
        String ten = IntStream.range(0, 10)
                .mapToObj(i -> "m" + i + " (1)")
                .collect(Collectors.joining(", ", "there is no model 'other', there are [", "]"));
        assertThatThrownBy(() -> frontEnd.model("other", ""))
                .isInstanceOf(UnknownModelException.class)
                .hasMessage(ten);
        add("n");
        add("o");
        assertThatThrownBy(() -> frontEnd.model("other", "")).hasMessage(ten + " and 2 more");
    }

    /** The others must not go out of service for it, however long it takes. */
    @Test
    void aModelThatIsLoadedLaterCountsWhenItHasBeenReady() {
        add("a");
        joinSilent("a");

        add("c");
        assertThat(frontEnd.isReady()).isTrue();
        assertThat(frontEnd.status("c", "").isReady()).isFalse();
        frontEnd.add(model("c", "2", new Policy.Uncoded(), Limits.DEFAULT));
        frontEnd.promote("c", "2");
        assertThat(frontEnd.isReady()).isTrue();
        frontEnd.promote("c", "1");

        Instance lost = joinSilent("c");
        assertThat(frontEnd.isReady()).isTrue();
        frontEnd.leave("c", "1", lost);
        assertThat(frontEnd.isReady()).isFalse();
    }

    @Test
    void aModelThatIsLoadedLaterAloneMakesNothingReady() {
        add("a");
        Instance lost = joinSilent("a");
        add("c");

        frontEnd.leave("a", "1", lost);
        assertThat(frontEnd.isReady()).isFalse();
        assertThat(frontEnd.retire("a", "1")).succeedsWithin(LONG);
        assertThat(frontEnd.isReady()).isFalse();

        joinSilent("c");
        assertThat(frontEnd.isReady()).isTrue();
    }

    /** Its last query may wait for long. */
    @Test
    void theStartDoesNotWaitForAModelThatIsUnloaded() {
        add("a");
        add("b");
        joinSilent("a");
        CompletableFuture<Reply> reply = frontEnd.predict("b", "", "tenant", List.of(QUERY), Duration.ofHours(1))
                .get(0);

        CompletableFuture<Void> retired = frontEnd.retire("b", "1");
        assertThat(retired).isNotDone();
        add("c");
        assertThat(frontEnd.isReady()).isTrue();

        reply.cancel(false);
        assertThat(retired).succeedsWithin(LONG);
        assertThat(frontEnd.isReady()).isTrue();
    }

    /** As a model that could not be loaded, and is loaded again. */
    @Test
    void aModelThatIsLoadedAgainCountsWhenItHasBeenReady() {
        add("a");
        joinSilent("a");
        add("c");
        joinSilent("c");
        assertThat(frontEnd.retire("c", "1")).succeedsWithin(LONG);

        add("c");
        assertThat(frontEnd.isReady()).isTrue();
    }

    @Test
    void aModelThatIsUnloadedKeepsNoOtherOutOfService() {
        add("a");
        add("b");
        joinSilent("a");
        joinSilent("b");
        CompletableFuture<Reply> reply = frontEnd.predict("b", "", "tenant", List.of(QUERY), Duration.ofMinutes(1))
                .get(0);

        CompletableFuture<Void> retired = frontEnd.retire("b", "1");
        assertThat(retired).isNotDone();
        assertThat(frontEnd.isReady()).isTrue();
        assertThat(frontEnd.status("b", "").isReady()).isFalse();
        var unused = frontEnd.drain();
        assertThat(frontEnd.isReady()).isFalse();

        reply.cancel(false);
        assertThat(retired).succeedsWithin(LONG);
    }

    /** Stops the thread at the mailbox of its lane, which is in an event when it asks for groups. */
    private static final class Stopping implements AnswerObserver {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void answered(InstanceAnswer answer) {}

        @Override
        public boolean wantsGroups() {
            stopped.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        }
    }

    /** The end is in the mailbox and not handled yet: the query is taken, and stands behind it. */
    @Test
    @Timeout(60)
    void aQueryThatComesWhileTheFrontEndClosesGetsAReply() throws InterruptedException {
        Stopping observer = new Stopping();
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        frontEnd.add(
                model(new Policy.Coded(new Code(plan, 1, List.of(3)), Duration.ofMillis(5), 0), Limits.DEFAULT),
                observer);
        join("1", "a", "1");
        Thread stopped = new Thread(() -> {
            var unused = ask();
        });
        stopped.start();
        observer.stopped.await();

        frontEnd.close();
        frontEnd.leave("linear", "1", new Instance("a", 0, Role.DEPLOYED, "a")); // or it would answer the query
        CompletableFuture<Reply> reply = ask();
        observer.goOn.countDown();
        stopped.join();

        assertThat(reply).succeedsWithin(LONG).isEqualTo(Reply.unavailable("the front end was closed"));
        assertThat(frontEnd.drain()).succeedsWithin(LONG);
    }

    private CompletableFuture<Reply> ask() {
        return frontEnd.predict("linear", "", "tenant", List.of(QUERY), Duration.ofMillis(100))
                .get(0);
    }

    /** Those that are rejected are counted for a moment, and must not keep the lane from its end. */
    @Test
    @Timeout(60)
    void aLaneIsDrainedThoughQueriesAreRejectedMeanwhile() throws InterruptedException {
        for (int round = 0; round < 500; round++) {
            String version = String.valueOf(round);
            frontEnd.add(model(version, new Policy.Uncoded(), Limits.DEFAULT.withWaiting(1)));
            Lane lane = frontEnd.lane("linear", version);
            CompletableFuture<Reply> waits = lane.submit("tenant", List.of(QUERY), LONG, TraceSpan.OFF, Runnable::run)
                    .get(0);
            List<Thread> others = Stream.generate(() -> new Thread(() -> askUntilDraining(lane)))
                    .limit(2)
                    .toList();
            others.forEach(Thread::start);
            waits.cancel(false);
            CompletableFuture<Void> drained = lane.drain();
            for (Thread other : others) {
                other.join();
            }

            assertThat(drained).succeedsWithin(LONG);
        }
    }

    private static void askUntilDraining(Lane lane) {
        for (String reason = ""; !reason.contains("takes no more queries"); ) {
            try {
                lane.submit("tenant", List.of(QUERY), LONG, TraceSpan.OFF, Runnable::run)
                        .get(0)
                        .cancel(false);
            } catch (RejectedException e) {
                reason = e.getMessage();
            }
        }
    }

    /** A program that ends when it is drained would lose the replies. */
    @Test
    void aLaneIsDrainedWhenTheFuturesOfItsQueriesAreDone() {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
            Lane lane = lane(clock, Limits.DEFAULT, Runnable::run);
            lane.join(new Instance("a", 0, Role.DEPLOYED, "a"), answering("1"));
            Queue<Runnable> later = new ConcurrentLinkedQueue<>();
            List<CompletableFuture<Reply>> replies =
                    lane.submit("tenant", List.of(QUERY, QUERY), LONG, TraceSpan.OFF, later::add);

            CompletableFuture<Void> drained = lane.drain();

            assertThat(later.size()).isEqualTo(2);
            later.remove().run();
            assertThat(drained).isNotDone();
            later.remove().run();
            assertThat(replies)
                    .allSatisfy(reply -> assertThat(reply.join().outcome()).isEqualTo(Outcome.PREDICTED));
            assertThat(drained).isCompleted();
        } finally {
            clock.shutdownNow();
        }
    }

    /** Each would have started a thread, which stays for some seconds: tasks open and close front ends. */
    @Test
    void onlyTheEndThatSomebodyWaitsForIsTold() {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
            AtomicInteger told = new AtomicInteger();
            Lane lane = lane(clock, Limits.DEFAULT, task -> {
                told.incrementAndGet();
                task.run();
            });
            lane.close();
            assertThat(lane.kept()).isZero();
            assertThat(told).hasValue(0);

            assertThat(lane.drain()).isCompleted();
            assertThat(lane.kept()).isZero();
            assertThat(told).hasValue(1);
        } finally {
            clock.shutdownNow();
        }
    }

    /** Each deadline is before all earlier ones, so the wake-up for those has to be replaced. */
    @Test
    void aLaneHasOneWakeUpWhateverItsTimers() throws Exception {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
            Lane lane = lane(clock, Limits.DEFAULT, Runnable::run);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 94; i++) {
                replies.addAll(lane.submit(
                        "tenant", List.of(QUERY), Duration.ofMinutes(100 - i), TraceSpan.OFF, Runnable::run));
                assertThat(clock.getQueue()).as("after %s queries", i + 1).hasSize(1);
            }
            replies.forEach(reply -> reply.cancel(false));
            assertThat(lane.kept()).isZero();
            assertThat(clock.getQueue()).hasSizeLessThanOrEqualTo(1);
        } finally {
            clock.shutdownNow();
        }
    }

    private static Lane lane(ScheduledThreadPoolExecutor clock, Limits limits, Executor replies) {
        return new Lane(model(new Policy.Uncoded(), limits), clock, replies, AnswerObserver.NONE, RowMemory.ofHeap());
    }

    /** As where the heap is full, or the system has no thread left. */
    @Test
    void afterAClockThatFailedOnceQueriesKeepTheirDeadlines() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, task -> threads.incrementAndGet() == 1 ? NO_THREADS.newThread(task) : new Thread(task));
        try {
            Lane lane = lane(clock, Limits.DEFAULT, Runnable::run);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                replies.addAll(
                        lane.submit("tenant", List.of(QUERY), Duration.ofMillis(50), TraceSpan.OFF, Runnable::run));
            }
            CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                    .get(1, TimeUnit.MINUTES);
            assertThat(replies)
                    .allSatisfy(reply -> assertThat(reply.join().outcome()).isEqualTo(Outcome.UNAVAILABLE));
        } finally {
            clock.shutdownNow();
        }
    }

    @Test
    void whereTheClockGetsNoThreadThereIsNoFrontEnd() {
        assertThatIllegalStateException()
                .isThrownBy(() -> FrontEnd.clock(NO_THREADS))
                .withMessage("a front end must have a thread of its own, and the system gives none (unable to create"
                        + " native thread: thrown on purpose by this test): raise the limit of processes of the user"
                        + " (ulimit -u) or of the container")
                .as("Spark would end the executor of a client")
                .withNoCause();
    }

    /** Wake-ups and queries meet: none is lost, and none is there twice. */
    @Test
    void wakeUpsThatMeetQueriesStayOneAndNoneIsLost() throws Exception {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        Random random = new Random(SEED);
        try {
            Lane lane = lane(clock, Limits.DEFAULT.withWaiting(10_000), Runnable::run);
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                replies.addAll(lane.submit(
                        "tenant",
                        List.of(QUERY),
                        Duration.ofNanos(1 + random.nextInt(2_000_000)),
                        TraceSpan.OFF,
                        Runnable::run));
                assertThat(clock.getQueue().size()).as("seed %s", SEED).isLessThanOrEqualTo(1);
            }
            CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                    .get(1, TimeUnit.MINUTES);
        } finally {
            clock.shutdownNow();
        }
    }

    private static Link answering(Supplier<CompletableFuture<float[][]>> answer) {
        return new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return answer.get();
            }

            @Override
            public void cancel(long batch) {}
        };
    }
}
