/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of all policies, and the policies that are the baselines of coding. */
class BrokerTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 11);
    private static final Policy UNCODED = new Policy.Uncoded();

    static Stream<Policy> policies() {
        return Stream.of(
                UNCODED,
                Scene.coded(2, 1),
                Scene.coded(3, 2),
                Scene.coded(2, 1, 2),
                Scene.coded(3, 2, 1.5),
                Scene.coded(4, 1),
                new Policy.Replicated(2),
                new Policy.Hedged(90, Duration.ofMillis(5)),
                new Policy.Auto(Duration.ofMillis(5)),
                new Policy.Backup());
    }

    /** Instances answer, fail, vanish and come back in any order: one reply each, right values, nothing left. */
    @ParameterizedTest
    @MethodSource("policies")
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whateverHappensEachQueryGetsOneReplyAndNothingIsLeft(Policy policy) {
        Random random = new Random(SEED);
        Scene scene = new Scene(policy, Limits.DEFAULT.withBatch(2));
        policy.roles().forEach(role -> scene.with(role, 3));
        long generation = 1;
        Set<Integer> withdrawn = new HashSet<>();
        for (int step = 0; step < 4_000; step++) {
            List<Batch> outstanding = scene.outstanding();
            int what = random.nextInt(100);
            if (what < 2) {
                scene.submit("tenant " + random.nextInt(3), Scene.large());
            } else if (what < 35) {
                scene.submit("tenant " + random.nextInt(3));
            } else if (what < 80 && !outstanding.isEmpty()) {
                scene.answer(outstanding.get(random.nextInt(outstanding.size())));
            } else if (what < 84 && !outstanding.isEmpty()) {
                scene.fail(outstanding.get(random.nextInt(outstanding.size())), "the model failed");
            } else if (what < 88) {
                List<Instance> instances =
                        List.copyOf(scene.broker().instances().keySet());
                if (!instances.isEmpty()) {
                    scene.lose(instances.get(random.nextInt(instances.size())));
                }
            } else if (what < 90 && scene.queries() > 0) {
                int query = Math.max(0, scene.queries() - 1 - random.nextInt(20));
                if (scene.replies(query).isEmpty()) {
                    withdrawn.add(query);
                }
                scene.withdraw(query);
            } else if (what < 93) {
                List<Role> roles = policy.roles();
                Role role = roles.get(random.nextInt(roles.size()));
                int number = random.nextInt(3);
                scene.broker().instances().keySet().stream()
                        .filter(instance -> instance.id().equals(role + "/" + number))
                        .findAny()
                        .ifPresent(scene::lose);
                scene.join(role, number, generation++);
            } else if (what < 95) {
                scene.keepBusy();
            } else {
                scene.finish();
                scene.pass(random.nextInt(4));
            }
        }
        scene.finish();
        scene.pass(1_000);
        scene.outstanding().forEach(scene::answer);

        for (int query = 0; query < scene.queries(); query++) {
            assertThat(scene.replies(query))
                    .as("query %s, seed %s", query, SEED)
                    .hasSize(withdrawn.contains(query) ? 0 : 1);
            if (withdrawn.contains(query)) {
                continue;
            }
            Reply reply = scene.replies(query).get(0);
            if (reply.outcome() == Outcome.UNAVAILABLE) {
                assertThat(reply.reason()).as("query %s, seed %s", query, SEED).isNotEmpty();
            } else {
                assertThat(reply.values())
                        .as("query %s, seed %s", query, SEED)
                        .usingElementComparator((a, b) -> Float.compare(a + 0f, b + 0f)) // no zero is negative
                        .containsExactly(Scene.MODEL.predict(scene.inputOf(query)));
            }
        }
        assertThat(scene.broker().remembered()).isZero();
        assertThat(scene.broker().waitingQueries()).isZero();
        scene.broker().roles().forEach(role -> assertThat(scene.broker().waiting(role))
                .isZero());
        assertThat(scene.broker().due()).isEmpty();
    }

    @Test
    void whoIsFreeTakesWhatHasWaitedLongest() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        IntStream.range(0, 4).forEach(i -> scene.submit());
        List<Batch> first = scene.outstanding();

        scene.answer(first.get(1));

        assertThat(scene.outstanding()).hasSize(2).last().satisfies(batch -> {
            assertThat(batch.instance()).isEqualTo(first.get(1).instance());
            assertThat(batch.works().get(0).number()).isEqualTo(2);
        });
    }

    @Test
    void aLostInstancesWorkComesBeforeWhatIsNewer() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT);
        Instance lost = scene.join(Role.DEPLOYED, 0, 0);
        IntStream.range(0, 3).forEach(i -> scene.submit());

        scene.lose(lost);
        scene.join(Role.DEPLOYED, 0, 1);

        assertThat(scene.outstanding())
                .singleElement()
                .satisfies(batch -> assertThat(batch.works().get(0).number()).isZero());
    }

    @Test
    void whoTakesThePlaceOfAnInstanceGetsItsWork() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT);
        Instance former = scene.join(Role.DEPLOYED, 0, 0);
        scene.submit();
        Batch old = scene.outstanding().get(0);

        Instance next = scene.join(Role.DEPLOYED, 0, 1);
        scene.broker().leave(former, 0);
        scene.answer(old);

        assertThat(scene.replies(0)).isEmpty();
        assertThat(scene.broker().instances()).containsOnlyKeys(next);
        scene.outstanding().forEach(scene::answer);
        assertThat(scene.outcome(0)).isEqualTo(Outcome.PREDICTED);
    }

    @Test
    void aQueryThatManyFailWithIsUnavailable() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();

        for (int attempt = 0; attempt < Limits.DEFAULT.attempts(); attempt++) {
            scene.fail(scene.outstanding().get(0), "the model failed: too large");
        }

        assertThat(scene.replies(0)).containsExactly(Reply.unavailable("the model failed: too large"));
    }

    /** The model throws for the values of one client, whose query shares batches with those of others. */
    @Test
    void aQueryThatAlwaysFailsTakesNoOthersWithIt() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT.withBatch(4));
        IntStream.range(0, 4).forEach(i -> scene.submit());
        float[] bad = scene.inputOf(1);

        scene.with(Role.DEPLOYED, 4);
        while (!scene.outstanding().isEmpty()) {
            Batch batch = scene.outstanding().get(0);
            if (Stream.of(batch.inputs()).anyMatch(input -> input == bad)) {
                scene.fail(batch, "the model failed: too large");
            } else {
                scene.answer(batch);
            }
        }

        assertThat(IntStream.range(0, 4).mapToObj(scene::outcome))
                .containsExactly(Outcome.PREDICTED, Outcome.UNAVAILABLE, Outcome.PREDICTED, Outcome.PREDICTED);
        assertThat(scene.broker().kept()).isZero();
    }

    /** One that fails at once is free most of the time, and would get all attempts. */
    @Test
    void whatFailsIsLeftToOthers() {
        Scene scene = twoThatHaveAnswered();
        scene.submit();
        scene.submit();
        Batch failing = scene.outstanding().get(0);
        Batch other = scene.outstanding().get(1);

        scene.fail(failing, "wrong values were found");
        assertThat(scene.outstanding()).containsExactly(other);
        scene.submit();
        assertThat(scene.outstanding().get(1).instance()).isEqualTo(failing.instance());
        scene.answer(other);

        assertThat(scene.outstanding().get(1).instance()).isEqualTo(other.instance());
        scene.outstanding().forEach(scene::answer);
        for (int query = 0; query < scene.queries(); query++) {
            assertThat(scene.outcome(query)).isEqualTo(Outcome.PREDICTED);
        }
        assertThat(scene.broker().due()).isEmpty();
    }

    /** Each batch within a millisecond. */
    private static Scene twoThatHaveAnswered() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        for (int query = 0; query < 20; query++) {
            scene.submit();
            scene.elapse(1);
            scene.answer(scene.outstanding().get(0));
        }
        return scene;
    }

    @Test
    void whatFailsIsTriedAgainWhereTheOthersAreSlow() {
        Scene scene = twoThatHaveAnswered();
        scene.submit();
        scene.submit();
        Batch failing = scene.outstanding().get(0);
        Batch other = scene.outstanding().get(1);

        scene.fail(failing, "too little memory");
        scene.pass(1);
        assertThat(scene.outstanding()).containsExactly(other);
        scene.pass(1);
        scene.pass(1);

        assertThat(scene.outstanding()).hasSize(2);
        assertThat(scene.outstanding().get(1).instance()).isEqualTo(failing.instance());
        scene.outstanding().forEach(scene::answer);
        assertThat(scene.broker().due()).isEmpty();
    }

    /** It is not known yet how long the other takes. */
    @Test
    void theLastAttemptIsForOneThatHasNotAnsweredYet() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();
        scene.submit();

        assertThatTheOtherGetsTheLastAttempt(scene);
    }

    @Test
    void theLastAttemptIsForOneThatIsLateForOnce() {
        Scene scene = twoThatHaveAnswered();
        scene.submit();
        scene.submit();
        scene.elapse(3);

        assertThatTheOtherGetsTheLastAttempt(scene);
    }

    private static void assertThatTheOtherGetsTheLastAttempt(Scene scene) {
        Batch failing = scene.outstanding().get(0);
        Batch other = scene.outstanding().get(1);

        scene.fail(failing, "too little memory");
        assertThat(scene.outstanding())
                .extracting(Batch::instance)
                .containsExactly(other.instance(), failing.instance());
        scene.fail(scene.outstanding().get(1), "too little memory");
        scene.pass(10);
        assertThat(scene.outstanding()).containsExactly(other);
        scene.answer(other);

        assertThat(scene.outstanding()).extracting(Batch::instance).containsExactly(other.instance());
        scene.outstanding().forEach(scene::answer);
        for (int query = 0; query < scene.queries(); query++) {
            assertThat(scene.outcome(query)).isEqualTo(Outcome.PREDICTED);
        }
        assertThat(scene.broker().kept()).isZero();
    }

    @Test
    void theLastAttemptIsForAnyoneOnceTheOthersAreLost() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();
        scene.submit();
        Batch failing = scene.outstanding().get(0);
        Batch other = scene.outstanding().get(1);
        scene.fail(failing, "too little memory");
        scene.fail(scene.outstanding().get(1), "too little memory");
        assertThat(scene.outstanding()).containsExactly(other);

        scene.lose(other.instance());

        assertThat(scene.outstanding()).extracting(Batch::instance).containsExactly(failing.instance());
    }

    @Test
    void tooManyAreRejected() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT.withWaiting(2)).with(Role.DEPLOYED, 1);
        IntStream.range(0, 3).forEach(i -> scene.submit());

        assertThatThrownBy(() -> scene.broker().requireRoom(1, scene.broker().waitingQueries()))
                .isInstanceOf(RejectedException.class)
                .hasMessage(
                        "at most 2 queries may wait for an instance, got 1 more than the 2 that wait: send fewer, or"
                                + " deploy more instances");
        assertThat(scene.broker().meter().events()).containsEntry("rejected", 1L);
    }

    static Stream<Policy> copying() {
        return Stream.of(new Policy.Replicated(2), new Policy.Hedged(90, Duration.ofMillis(5)));
    }

    @ParameterizedTest
    @MethodSource("copying")
    void aQueryWhoseCopiesWaitIsOne(Policy policy) {
        Scene scene = new Scene(policy, Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();
        scene.pass(10);
        assertThat(scene.outstanding()).as("a copy at each instance").hasSize(2);
        IntStream.range(0, 3).forEach(i -> scene.submit());
        scene.pass(10);

        assertThat(scene.broker().waiting(Role.DEPLOYED)).as("copies").isEqualTo(6);
        assertThat(scene.broker().waitingQueries()).isEqualTo(3);

        scene.withdraw(1);
        assertThat(scene.broker().waitingQueries()).isEqualTo(2);

        scene.lose(scene.outstanding().get(0).instance());
        scene.lose(scene.outstanding().get(0).instance());
        assertThat(scene.broker().waitingQueries()).as("with the first again").isEqualTo(3);

        scene.pass(1_000);
        assertThat(scene.broker().waitingQueries()).isZero();
    }

    static Stream<Policy> withdrawals() {
        return Stream.of(
                UNCODED,
                Scene.coded(2, 1),
                new Policy.Replicated(2),
                new Policy.Hedged(90, Duration.ofMillis(5)),
                new Policy.Auto(Duration.ofMillis(5)),
                new Policy.Backup());
    }

    @ParameterizedTest
    @MethodSource("withdrawals")
    void queriesThatNobodyWantsAreNotSent(Policy policy) {
        Scene scene = new Scene(policy, Limits.DEFAULT);
        IntStream.range(0, 10).forEach(i -> scene.submit());

        IntStream.range(0, 10).forEach(scene::withdraw);
        policy.roles().forEach(role -> scene.with(role, 2));
        scene.pass(1_000);

        assertThat(scene.outstanding()).isEmpty();
        IntStream.range(0, 10).forEach(query -> assertThat(scene.replies(query)).isEmpty());
        assertThat(scene.broker().kept()).isZero();
        assertThat(scene.broker().meter().events()).containsEntry("withdrawn", 10L);
        assertThat(scene.broker().meter().latencies(Outcome.UNAVAILABLE).count())
                .isZero();
    }

    /** A model may take no more. */
    @Test
    void aBatchHasNoMoreQueriesThanTheLimitSays() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT.withBatch(2));
        IntStream.range(0, 9).forEach(i -> scene.submit());
        scene.with(Role.DEPLOYED, 1);

        assertThat(scene.outstanding()).isNotEmpty().allSatisfy(batch -> assertThat(batch.works())
                .hasSize(2));
    }

    @Test
    void whatIsSentAlreadyIsCancelledWhenNobodyWantsIt() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT.withBatch(2));
        scene.submit();
        scene.submit();
        scene.with(Role.DEPLOYED, 1);
        Batch sent = scene.outstanding().get(0);

        scene.withdraw(0);
        assertThat(scene.cancelled()).as("the other query is in the same batch").isEmpty();
        scene.withdraw(1);

        assertThat(scene.cancelled()).containsExactly(sent);
        scene.answer(sent);
        assertThat(scene.replies(0)).isEmpty();
        assertThat(scene.replies(1)).isEmpty();
    }

    @Test
    void aQueryThatHasItsReplyIsNotWithdrawn() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT).with(Role.DEPLOYED, 1);
        scene.submit();
        scene.answer(scene.outstanding().get(0));

        scene.withdraw(0);

        assertThat(scene.outcome(0)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.broker().meter().events()).containsEntry("withdrawn", 0L);
    }

    @Test
    void aQueryWithoutAnInstanceIsUnavailableAtItsDeadline() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT);
        scene.submit();

        scene.pass(99);
        assertThat(scene.replies(0)).isEmpty();
        scene.pass(1);

        assertThat(scene.replies(0)).containsExactly(Reply.unavailable("no answer within 100 ms"));
        assertThat(scene.broker().waiting(Role.DEPLOYED)).isZero();
        assertThat(scene.broker().waitingQueries()).isZero();
    }

    @Test
    void replicasAreOnDifferentInstancesAndTheLoserIsCancelled() {
        Scene scene = new Scene(new Policy.Replicated(2), Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();
        List<Batch> copies = scene.outstanding();
        assertThat(copies).extracting(Batch::instance).doesNotHaveDuplicates().hasSize(2);

        scene.answer(copies.get(1));

        assertThat(scene.outcome(0)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.cancelled()).containsExactly(copies.get(0));
    }

    @Test
    void onlyLateQueriesAreHedged() {
        Scene scene = new Scene(new Policy.Hedged(90, Duration.ofMillis(5)), Limits.DEFAULT).with(Role.DEPLOYED, 2);
        for (int query = 0; query < 200; query++) {
            scene.submit();
            scene.elapse(1);
            scene.answer(scene.outstanding().get(0));
        }
        scene.pass(10);
        assertThat(scene.broker().meter().events()).containsEntry("hedged", 0L);

        scene.submit();
        assertThat(scene.outstanding()).hasSize(1);
        scene.pass(1);

        assertThat(scene.outstanding()).hasSize(2);
        assertThat(scene.broker().meter().events()).containsEntry("hedged", 1L);
    }

    @Test
    void aBackupsAnswerIsTakenWhenTheMedianHasPassed() {
        Scene scene = withABackup(2);

        int late = scene.submit();
        scene.answer(scene.outstanding(Role.BACKUP).get(0));
        scene.pass(1);
        assertThat(scene.replies(late)).isEmpty();
        scene.pass(1);

        assertThat(scene.outcome(late)).isEqualTo(Outcome.APPROXIMATED);
    }

    /** The median is the deployed model's: that of the replies would follow the backup's answers. */
    @Test
    void aDeployedModelThatIsAsFastAsEverIsWaitedFor() {
        Scene scene = withABackup();
        for (int query = 0; query < 200; query++) {
            askBoth(scene, 5, 10);
        }

        assertThat(IntStream.range(0, 200).mapToObj(scene::outcome)).containsOnly(Outcome.PREDICTED);
        assertThat(scene.broker().kept()).isZero();
    }

    /** Its late answers count as well. */
    @Test
    void aDeployedModelThatHasBecomeSlowerIsWaitedForAgain() {
        Scene scene = withABackup(2);

        int late = askBoth(scene, 1, 6);
        assertThat(scene.outcome(late)).isEqualTo(Outcome.APPROXIMATED);
        for (int query = 0; query < 200; query++) {
            late = askBoth(scene, 1, 6);
        }

        assertThat(scene.outcome(late)).isEqualTo(Outcome.PREDICTED);
    }

    @Test
    void whileNobodyKnowsHowLongTheDeployedModelTakesItIsWaitedForUntilTheDeadline() {
        Scene scene = withABackup();
        scene.submit();
        scene.answer(scene.outstanding(Role.BACKUP).get(0));

        scene.pass(99);
        assertThat(scene.replies(0)).isEmpty();
        scene.pass(1);

        assertThat(scene.outcome(0)).isEqualTo(Outcome.APPROXIMATED);
    }

    /** Sends a query that the backup answers after so many milliseconds, and the deployed model later. */
    private static int askBoth(Scene scene, long backup, long deployed) {
        int query = scene.submit();
        scene.pass(backup);
        scene.answer(scene.outstanding(Role.BACKUP).get(0));
        for (long millis = backup + 1; millis < deployed; millis++) {
            scene.pass(1);
        }
        scene.elapse(1);
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        return query;
    }

    @Test
    void aBackupsAnswerIsTakenBeforeTheDeadlineAtLatest() {
        Scene scene = withABackup(120); // longer than queries have

        int late = scene.submit();
        scene.answer(scene.outstanding(Role.BACKUP).get(0));
        scene.pass(99);
        assertThat(scene.replies(late)).isEmpty();
        scene.pass(1);

        assertThat(scene.outcome(late)).isEqualTo(Outcome.APPROXIMATED);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void queriesOfABrokerThatIsAbandonedAreUnavailableAndSentToNobody(Policy policy) {
        Scene scene = new Scene(policy, Limits.DEFAULT);
        int before = scene.submit();
        scene.broker().abandon("the front end was closed", scene.now());
        policy.roles().forEach(role -> scene.with(role, 2));
        List<Batch> sent = scene.outstanding();
        int after = scene.submit();

        assertThat(scene.outstanding()).isEqualTo(sent);
        for (int query : List.of(before, after)) {
            assertThat(scene.replies(query)).containsExactly(Reply.unavailable("the front end was closed"));
        }
        assertThat(scene.broker().unanswered()).isZero();
    }

    private static Scene withABackup() {
        return new Scene(new Policy.Backup(), Limits.DEFAULT)
                .with(Role.DEPLOYED, 1)
                .with(Role.BACKUP, 1);
    }

    /** A backup model beside the deployed one, which has answered a hundred queries after so many milliseconds each. */
    private static Scene withABackup(long millis) {
        Scene scene = withABackup();
        for (int query = 0; query < 100; query++) {
            scene.submit();
            scene.elapse(millis);
            scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
            scene.answer(scene.outstanding(Role.BACKUP).get(0));
        }
        assertThat(scene.outcome(99)).isEqualTo(Outcome.PREDICTED);
        return scene;
    }

    /** Or hedges and reconstruction would come later and later while instances are down. */
    @Test
    void queriesWithoutAnAnswerSayNothingOfHowLongAnswersTake() {
        Scene scene = new Scene(UNCODED, Limits.DEFAULT);
        Instance instance = scene.join(Role.DEPLOYED, 0, 0);
        for (int i = 0; i < 20; i++) {
            scene.submit();
            scene.elapse(1);
            scene.answer(scene.outstanding().get(0));
        }
        assertThat(scene.broker().latencies().median()).hasValue(Scene.MILLI);

        scene.lose(instance);
        IntStream.range(0, 100).forEach(i -> scene.submit());
        scene.pass(100);

        assertThat(scene.outcome(119)).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(scene.broker().latencies().median()).hasValue(Scene.MILLI);
    }

    /** As where the heap is full for a moment: the caller would wait for ever. */
    @Test
    void aQueryWhoseReplyHadNoMemoryHasItLater() {
        AtomicBoolean full = new AtomicBoolean(true);
        List<Reply> replies = new ArrayList<>();
        Broker broker = new Broker(new Policy.Uncoded(), Limits.DEFAULT, new Effects() {
            @Override
            public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {}

            @Override
            public void send(Batch batch) {}

            @Override
            public void cancel(Batch batch) {}

            @Override
            public void reply(Query query, Reply reply) {
                if (full.getAndSet(false)) {
                    throw new OutOfMemoryError("there is no room for a reply: thrown on purpose by this test");
                }
                replies.add(reply);
            }
        });
        broker.submit(Optional.of("a"), new float[1], 0, 5_000_000, reply -> {});
        assertThatThrownBy(() -> broker.tick(5_000_000)).isInstanceOf(OutOfMemoryError.class);
        assertThat(broker.unanswered()).isEqualTo(1);

        broker.expireBefore(5_000_000, 7_000_000);
        assertThat(broker.unanswered()).isEqualTo(1);
        broker.expireBefore(5_000_001, 7_000_000);

        assertThat(replies).containsExactly(Reply.unavailable("no answer within 5 ms"));
        assertThat(broker.kept()).isZero();
    }

    /** Or it would keep its place at the instance for ever. */
    @Test
    void aBatchThatCouldNotBeSentLeavesItsPlaceToTheNext() {
        AtomicBoolean full = new AtomicBoolean(true);
        List<Batch> sent = new ArrayList<>();
        Broker broker = new Broker(UNCODED, new Limits(10, 1, 1, 3, Duration.ofSeconds(1)), new Effects() {
            @Override
            public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {}

            @Override
            public void send(Batch batch) {
                if (full.getAndSet(false)) {
                    throw new OutOfMemoryError("there is no room to send: thrown on purpose by this test");
                }
                sent.add(batch);
            }

            @Override
            public void cancel(Batch batch) {}

            @Override
            public void reply(Query query, Reply reply) {}
        });
        broker.join(new Instance("a", 0, Role.DEPLOYED, "a"), 0);
        assertThatThrownBy(() -> broker.submit(Optional.of("a"), new float[1], 0, 5_000_000, reply -> {}))
                .isInstanceOf(OutOfMemoryError.class);

        broker.submit(Optional.of("a"), new float[1], 1, 5_000_000, reply -> {});

        assertThat(sent).hasSize(1);
    }
}
