/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.ModelException;
import io.paritas.inference.Outcome;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.learned.CountedCode;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any k of k + r answers give all, whatever the order, and each query gets one reply. */
class CodedStrategyTest {

    static Stream<Arguments> codes() {
        return Stream.of(2, 3, 4).flatMap(k -> Stream.of(1, 2).map(r -> Arguments.of(k, r)));
    }

    @ParameterizedTest
    @MethodSource("codes")
    void everyOrderOfAnswersGivesEachQueryOneExactReply(int k, int r) {
        for (List<Integer> order : permutations(k + r)) {
            for (int answered = 0; answered <= k + r; answered++) {
                Scene scene = fullGroup(k, r);
                List<Batch> batches = scene.outstanding();

                order.subList(0, answered).forEach(place -> scene.answer(batches.get(place)));

                check(scene, k, order.subList(0, answered));
                scene.pass(200);
                assertThat(scene.broker().unanswered()).isZero();
                order.subList(answered, k + r).forEach(place -> scene.answer(batches.get(place)));
                IntStream.range(0, k).forEach(query -> assertThat(scene.replies(query))
                        .as("%s, %s of them in time", order, order.size())
                        .hasSize(1));
                assertNothingIsLeft(scene);
            }
        }
    }

    private static Scene fullGroup(int k, int r) {
        Scene scene = new Scene(Scene.coded(k, r), Limits.DEFAULT).with(Role.DEPLOYED, k);
        IntStream.range(0, r).forEach(parity -> scene.with(Role.parity(parity), 1));
        IntStream.range(0, k).forEach(i -> scene.submit());
        assertThat(scene.outstanding()).hasSize(k + r);
        return scene;
    }

    private static void check(Scene scene, int k, List<Integer> answered) {
        boolean all = answered.size() >= k;
        for (int query = 0; query < k; query++) {
            int known = answered.indexOf(query);
            if (known >= 0 && known < k) {
                assertThat(scene.outcome(query))
                        .as("query %s of %s", query, answered)
                        .isEqualTo(Outcome.PREDICTED);
            } else if (all) {
                assertThat(scene.outcome(query))
                        .as("query %s of %s", query, answered)
                        .isEqualTo(Outcome.RECONSTRUCTED);
            } else {
                assertThat(scene.replies(query))
                        .as("query %s of %s", query, answered)
                        .isEmpty();
                continue;
            }
            assertThat(scene.replies(query).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(query)));
        }
    }

    private static void assertNothingIsLeft(Scene scene) {
        assertThat(scene.outstanding()).isEmpty();
        assertThat(scene.broker().remembered()).isZero();
        scene.broker().roles().forEach(role -> assertThat(scene.broker().waiting(role))
                .isZero());
        scene.broker().instances().values().forEach(batches -> assertThat(batches)
                .isZero());
        assertThat(scene.broker().due()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("codes")
    void aLonelyQueryIsSentAtOnceAndProtectedAfterTheWait(int k, int r) {
        Scene scene = new Scene(Scene.coded(k, r), Limits.DEFAULT).with(Role.DEPLOYED, 1);
        IntStream.range(0, r).forEach(parity -> scene.with(Role.parity(parity), 1));

        scene.submit();
        assertThat(scene.outstanding()).hasSize(1);
        scene.pass(9);
        assertThat(scene.outstanding(Role.parity(0))).isEmpty();
        scene.pass(1);

        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        assertThat(scene.replies(0)).singleElement().satisfies(reply -> {
            assertThat(reply.outcome()).isEqualTo(Outcome.RECONSTRUCTED);
            assertThat(reply.values()).isEqualTo(Scene.MODEL.predict(Scene.input(0)));
        });
    }

    @Test
    void anAnsweredQueryStaysInItsOpenGroupAndHelpsTheNext() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT)
                .with(Role.DEPLOYED, 2)
                .with(Role.parity(0), 1);

        scene.submit();
        scene.answer(scene.outstanding().get(0));
        scene.pass(5);
        scene.submit();
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(1).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(1)));
    }

    @Test
    void noParityIsSentForWhatIsAnswered() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT)
                .with(Role.DEPLOYED, 2)
                .with(Role.parity(0), 1);

        scene.submit();
        scene.answer(scene.outstanding().get(0));
        scene.pass(10);

        assertNothingIsLeft(scene);
    }

    @Test
    void tenantsNeverShareAGroup() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT)
                .with(Role.DEPLOYED, 4)
                .with(Role.parity(0), 4);

        scene.submit("a");
        scene.submit("b");
        assertThat(scene.outstanding(Role.parity(0))).isEmpty();
        scene.submit("a");
        scene.submit("b");

        assertThat(scene.outstanding(Role.parity(0)))
                .extracting(batch -> batch.inputs()[0])
                .containsExactly(sum(0, 2), sum(1, 3));
    }

    /** A median latency of 10 ms, all predicted. */
    private static Scene patient(int k, int r, double patience) {
        Scene scene = new Scene(Scene.coded(k, r, patience), Limits.DEFAULT).with(Role.DEPLOYED, k);
        IntStream.range(0, r).forEach(parity -> scene.with(Role.parity(parity), 1));
        while (scene.queries() < 100) {
            IntStream.range(0, k).forEach(i -> scene.submit());
            scene.elapse(10);
            scene.outstanding(Role.DEPLOYED).forEach(scene::answer);
            scene.outstanding().forEach(scene::answer); // the parities, of which nobody needs the answers
        }
        return scene;
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1"})
    void whateverTheOrderAReconstructionWaitsForThePredictionAsLongAsIsSaid(int k, int r) {
        for (List<Integer> order : permutations(k + r)) {
            for (int answered = 0; answered <= k + r; answered++) {
                Scene scene = patient(k, r, 2);
                int first = scene.queries();
                IntStream.range(0, k).forEach(i -> scene.submit());
                List<Batch> batches = scene.outstanding();
                List<Integer> early = order.subList(0, answered);

                early.forEach(place -> scene.answer(batches.get(place)));
                scene.pass(19);
                for (int query = 0; query < k; query++) {
                    assertThat(scene.replies(first + query))
                            .as("query %s of %s", query, early)
                            .extracting(Reply::outcome)
                            .isEqualTo(early.contains(query) ? List.of(Outcome.PREDICTED) : List.of());
                }
                scene.pass(1);
                for (int query = 0; query < k; query++) {
                    assertThat(scene.replies(first + query))
                            .as("query %s of %s", query, early)
                            .extracting(Reply::outcome)
                            .isEqualTo(
                                    early.contains(query)
                                            ? List.of(Outcome.PREDICTED)
                                            : answered >= k ? List.of(Outcome.RECONSTRUCTED) : List.of());
                }
                order.subList(answered, k + r).forEach(place -> scene.answer(batches.get(place)));
                for (int query = first; query < first + k; query++) {
                    assertThat(scene.replies(query)).as("%s", order).hasSize(1);
                    assertThat(scene.replies(query).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(query)));
                }
                assertNothingIsLeft(scene);
            }
        }
    }

    @Test
    void eachQueryOfAGroupWaitsForItself() {
        Scene scene = patient(2, 2, 2);
        int first = scene.submit();
        scene.pass(5);
        int second = scene.submit();
        scene.outstanding().stream()
                .filter(batch -> !batch.instance().role().equals(Role.DEPLOYED))
                .forEach(scene::answer);

        scene.pass(15);
        assertThat(scene.outcome(first)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(second)).isEmpty();
        scene.pass(5);

        assertThat(scene.outcome(second)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(second).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(second)));
    }

    /** A decoder of labels takes predictions for logits, and its own reconstructions are probabilities. */
    @Test
    void aReconstructionIsNotTakenForAPrediction() {
        ParityPlan plan = new ParityPlan(new Combinations(2, 2), Encoding.ADDITION, Target.LABELS);
        Code code = new Code(plan, 2, List.of(Scene.FEATURES));
        Scene scene = new Scene(new Policy.Coded(code, Scene.GROUP_WAIT, 2), Limits.DEFAULT)
                .with(Role.DEPLOYED, 2)
                .with(Role.parity(0), 1)
                .with(Role.parity(1), 1);
        scene.submit();
        scene.pass(5);
        scene.submit();
        scene.answer(scene.outstanding(Role.parity(0)).get(0), new float[] {1, 1, 0});
        scene.answer(scene.outstanding(Role.parity(1)).get(0), new float[] {1, 2, 0});

        scene.pass(15);
        assertThat(scene.replies(0)).singleElement().satisfies(reply -> assertThat(reply.values())
                .containsExactly(1, 0, 0));
        assertThat(scene.replies(1)).isEmpty();
        scene.pass(5);

        assertThat(scene.replies(1)).singleElement().satisfies(reply -> {
            assertThat(reply.outcome()).isEqualTo(Outcome.RECONSTRUCTED);
            assertThat(reply.values()).containsExactly(0, 1, 0);
        });
    }

    @Test
    void whatNobodyWillPredictIsReconstructedAtOnce() {
        Scene scene = patient(2, 1, 2);
        int first = scene.submit();
        scene.submit();
        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        scene.answer(scene.outstanding(Role.DEPLOYED).get(1));
        assertThat(scene.replies(first)).isEmpty();

        for (int attempt = 0; attempt < Limits.DEFAULT.attempts(); attempt++) {
            scene.fail(scene.outstanding(Role.DEPLOYED).get(0), "the model failed");
        }

        assertThat(scene.outcome(first)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void whatCanBeReconstructedIsNeverUnavailable() {
        Scene scene = patient(2, 1, 1_000);
        int first = scene.submit();
        scene.submit();
        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        scene.answer(scene.outstanding(Role.DEPLOYED).get(1));

        scene.pass(99);
        assertThat(scene.replies(first)).isEmpty();
        scene.pass(1);

        assertThat(scene.outcome(first)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void patienceIsNoneOrAMedianAtLeast() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scene.coded(2, 1, 0.5))
                .withMessage("patience must be 0, or 1 to 1000.0 medians of the latencies, got 0.5");
    }

    private static float[] sum(int a, int b) {
        float[] sum = new float[Scene.FEATURES];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = Scene.input(a)[i] + Scene.input(b)[i];
        }
        return sum;
    }

    @Test
    void losersAreCancelled() {
        Scene scene = fullGroup(2, 1);
        Batch late = scene.outstanding().get(0);

        scene.answer(scene.outstanding().get(1));
        assertThat(scene.cancelled()).isEmpty();
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        assertThat(scene.cancelled()).containsExactly(late);
    }

    @Test
    void aParityThatWaitsIsTakenOutOfTheQueue() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT).with(Role.DEPLOYED, 2);
        scene.submit();
        scene.submit();
        assertThat(scene.broker().waiting(Role.parity(0))).isEqualTo(1);

        scene.outstanding().forEach(scene::answer);

        assertThat(scene.broker().waiting(Role.parity(0))).isZero();
        assertThat(scene.cancelled()).isEmpty();
    }

    @Test
    void theAnswerOfAnExpiredQueryHelpsTheOthersOfItsGroup() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT)
                .with(Role.DEPLOYED, 2)
                .with(Role.parity(0), 1);
        scene.submit();
        scene.pass(9);
        scene.submit();
        List<Batch> batches = scene.outstanding();

        scene.pass(91);
        assertThat(scene.outcome(0)).isEqualTo(Outcome.UNAVAILABLE);
        scene.answer(batches.get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        assertThat(scene.replies(0)).hasSize(1);
        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void anOpenGroupGoesOnWithoutWhatNobodyWants() {
        Scene scene = new Scene(Scene.coded(3, 1), Limits.DEFAULT)
                .with(Role.DEPLOYED, 4)
                .with(Role.parity(0), 1);
        IntStream.range(0, 2).forEach(i -> scene.submit());
        Batch unwanted = scene.outstanding().get(0);
        scene.answer(scene.outstanding().get(1));

        scene.withdraw(0);
        IntStream.range(2, 4).forEach(i -> scene.submit());
        assertThat(scene.cancelled()).containsExactly(unwanted);
        scene.answer(unwanted);
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        assertThat(scene.replies(0)).isEmpty();
        assertThat(scene.outcome(3)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(3).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(3)));
        scene.outstanding().forEach(scene::answer);
        assertNothingIsLeft(scene);
    }

    @Test
    void inAClosedGroupThePredictionThatNobodyWantsHelpsTheOthers() {
        Scene scene = fullGroup(2, 1);

        scene.withdraw(0);
        assertThat(scene.cancelled()).isEmpty();
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        assertThat(scene.replies(0)).isEmpty();
        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
        scene.outstanding().forEach(scene::answer);
        assertNothingIsLeft(scene);
    }

    @Test
    void queriesOfAGroupAreNeverInOneBatch() {
        Scene scene = new Scene(Scene.coded(2, 1), Limits.DEFAULT.withBatch(4)).with(Role.parity(0), 1);
        IntStream.range(0, 8).forEach(i -> scene.submit());

        scene.with(Role.DEPLOYED, 2);

        assertThat(scene.outstanding(Role.DEPLOYED)).hasSize(2).allSatisfy(batch -> assertThat(
                        batch.works().stream().map(Work::tie).distinct())
                .hasSize(4));
    }

    @Test
    void whatAllInstancesFailWithIsReconstructed() {
        Scene scene = fullGroup(2, 1);
        for (int attempt = 0; attempt < Limits.DEFAULT.attempts(); attempt++) {
            scene.outstanding(Role.DEPLOYED).stream()
                    .filter(batch -> batch.works().get(0).number() == 0)
                    .forEach(batch -> scene.fail(batch, "the model failed"));
        }
        assertThat(scene.replies(0)).isEmpty();

        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));

        assertThat(scene.outcome(0)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void whatCannotBeReconstructedEitherIsUnavailableBeforeItsDeadline() {
        Scene scene = fullGroup(2, 1);

        while (!scene.outstanding().isEmpty()) {
            scene.fail(scene.outstanding().get(0), "the model failed");
        }

        assertThat(scene.replies(0)).containsExactly(Reply.unavailable("the model failed"));
        assertThat(scene.replies(1)).containsExactly(Reply.unavailable("the model failed"));
    }

    /** Two of a group and their parity, none of whose answers is finite. */
    private static Scene notFinite(double patience) {
        Scene scene = patience == 0
                ? new Scene(Scene.coded(2, 1), Limits.DEFAULT)
                        .with(Role.DEPLOYED, 2)
                        .with(Role.parity(0), 1)
                : patient(2, 1, patience);
        scene.submit("tenant", Scene.large());
        scene.submit("tenant", Scene.large());
        return scene;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 2})
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aReconstructionThatIsNotFiniteIsNoneSoAQueryWaitsForItsPrediction(double patience) {
        Scene scene = notFinite(patience);
        int second = scene.queries() - 1;
        List<Batch> predictions = scene.outstanding(Role.DEPLOYED);
        scene.answer(predictions.get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        scene.pass(50);
        assertThat(scene.outcome(second - 1)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.replies(second)).isEmpty();
        assertThat(scene.broker().due().orElseThrow()).isGreaterThan(scene.now());
        scene.answer(predictions.get(1));

        assertThat(scene.outcome(second)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.replies(second).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.large()));
        assertNothingIsLeft(scene);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 2})
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aQueryWithoutAFiniteReconstructionIsUnavailableAtItsDeadline(double patience) {
        Scene scene = notFinite(patience);
        int second = scene.queries() - 1;
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));

        scene.pass(99);
        assertThat(scene.replies(second)).isEmpty();
        scene.pass(1);

        assertThat(scene.replies(second)).containsExactly(Reply.unavailable("no answer within 100 ms"));
        scene.outstanding().forEach(scene::answer);
        assertNothingIsLeft(scene);
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aQueryWithoutAFiniteReconstructionWhoseInstancesFailIsUnavailable() {
        Scene scene = notFinite(0);
        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        scene.answer(scene.outstanding(Role.DEPLOYED).get(1));

        while (!scene.outstanding().isEmpty()) {
            scene.fail(scene.outstanding().get(0), "the model failed");
        }

        assertThat(scene.replies(0)).containsExactly(Reply.unavailable("the model failed"));
        assertNothingIsLeft(scene);
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aParityThatIsNotFiniteDoesNotKeepAnotherFromBeingUsed() {
        Scene scene = fullGroup(2, 2);
        List<Batch> predictions = scene.outstanding(Role.DEPLOYED);
        scene.answer(predictions.get(0));
        scene.answer(scene.outstanding(Role.parity(0)).get(0), new float[] {1, Float.NaN, 2});
        assertThat(scene.replies(1)).isEmpty();

        scene.answer(scene.outstanding(Role.parity(1)).get(0));

        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(1).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(1)));
    }

    /** A scene whose parity models know values from -10 to 10, with a query far beyond and two within. */
    private static Scene withAnOutlier() {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        Code code = new Code(plan, 1, List.of(Scene.FEATURES), new InputRange(-10, 10), Map.of());
        Scene scene = new Scene(new Policy.Coded(code, Scene.GROUP_WAIT, 0), Limits.DEFAULT)
                .with(Role.DEPLOYED, 3)
                .with(Role.parity(0), 1);
        scene.submit();
        float[] outlier = new float[Scene.FEATURES];
        outlier[2] = 1e6f;
        scene.submit("tenant", outlier);
        scene.submit();
        return scene;
    }

    @Test
    void anOutlierIsCodedWithNobody() {
        Scene scene = withAnOutlier();

        assertThat(scene.outstanding(Role.parity(0))).singleElement().satisfies(parity -> assertThat(parity.inputs()[0])
                .isEqualTo(sum(0, 2)));
        scene.answer(scene.outstanding(Role.parity(0)).get(0));
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        assertThat(scene.outcome(2)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(1)).isEmpty();
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));

        assertThat(scene.outcome(1)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.replies(1).get(0).values()).isEqualTo(Scene.MODEL.predict(scene.inputOf(1)));
        scene.outstanding().forEach(scene::answer);
        assertNothingIsLeft(scene);
        assertThat(scene.broker().meter().events()).containsEntry("alone", 1L).containsEntry("groups_full", 1L);
    }

    @Test
    void anOutlierThatNobodyAnswersIsUnavailable() {
        Scene scene = withAnOutlier();
        scene.outstanding(Role.DEPLOYED).stream()
                .filter(batch -> batch.works().get(0).query().tenant().isPresent())
                .forEach(scene::answer);
        for (int attempt = 0; attempt < Limits.DEFAULT.attempts(); attempt++) {
            scene.fail(scene.outstanding(Role.DEPLOYED).get(0), "the model failed");
        }
        assertThat(scene.replies(1)).singleElement().satisfies(reply -> assertThat(reply.reason())
                .isEqualTo("the model failed"));

        Scene late = withAnOutlier();
        late.pass(100);
        assertThat(late.outcome(1)).isEqualTo(Outcome.UNAVAILABLE);

        Scene withdrawn = withAnOutlier();
        withdrawn.withdraw(1);
        assertThat(withdrawn.replies(1)).isEmpty();
        List.of(scene, late, withdrawn).forEach(each -> {
            each.pass(200);
            each.outstanding().forEach(each::answer);
            assertNothingIsLeft(each);
        });
    }

    /** A reconstruction takes time, in which anything may happen. */
    @Test
    void aPredictionThatComesWhileItIsReconstructedIsTaken() {
        Scene scene = fullGroup(2, 1);
        List<Batch> batches = scene.outstanding();
        scene.keepBusy();

        scene.answer(batches.get(0));
        scene.answer(batches.get(2));
        assertThat(scene.replies(1)).isEmpty();
        scene.answer(batches.get(1));
        scene.finish();

        assertThat(scene.outcome(1)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.replies(1)).hasSize(1);
        assertNothingIsLeft(scene);
    }

    /** A query waits for a reconstruction that has begun, but not for a decoder that hangs. */
    @Test
    void aReconstructionIsNotWaitedForLongAfterTheDeadline() {
        Scene scene = fullGroup(2, 1);
        List<Batch> batches = scene.outstanding();
        scene.keepBusy();
        scene.answer(batches.get(0));
        scene.answer(batches.get(2));

        scene.pass(100);
        assertThat(scene.replies(1)).isEmpty();
        scene.pass(99);
        assertThat(scene.replies(1)).isEmpty();
        scene.pass(1);
        assertThat(scene.replies(1)).containsExactly(Reply.unavailable("no answer within 100 ms"));

        scene.finish();
        scene.answer(batches.get(1));
        assertThat(scene.replies(1)).hasSize(1);
        assertNothingIsLeft(scene);
    }

    @Test
    void aLossWhileItIsReconstructedDoesNotMakeAQueryUnavailable() {
        Scene scene = fullGroup(2, 1);
        List<Batch> batches = scene.outstanding();
        scene.keepBusy();

        scene.answer(batches.get(0));
        scene.answer(batches.get(2));
        scene.lose(batches.get(1).instance());
        scene.lose(batches.get(0).instance());
        scene.finish();

        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.replies(1)).hasSize(1);
        assertNothingIsLeft(scene);
    }

    /** It is not due when the other's reconstruction begins, and nobody will predict it when that ends. */
    @Test
    void aLossWhileAnotherIsReconstructedIsLookedAtAfterwards() {
        Scene scene = patient(2, 2, 2);
        int first = scene.submit();
        scene.pass(5);
        int second = scene.submit();
        scene.outstanding().stream()
                .filter(batch -> !batch.instance().role().equals(Role.DEPLOYED))
                .forEach(scene::answer);
        scene.keepBusy();
        scene.pass(15);

        while (!scene.outstanding(Role.DEPLOYED).isEmpty()) {
            scene.fail(scene.outstanding(Role.DEPLOYED).get(0), "the model failed");
        }
        scene.finish();

        assertThat(scene.outcome(first)).isEqualTo(Outcome.RECONSTRUCTED);
        assertThat(scene.outcome(second)).isEqualTo(Outcome.RECONSTRUCTED);
        assertNothingIsLeft(scene);
    }

    /** The first reconstruction is not finite, and nothing but the answer that comes meanwhile makes another possible. */
    @Test
    void newsWhileItIsReconstructedAreLookedAtAfterwards() {
        Scene scene = fullGroup(3, 2);
        List<Batch> batches = scene.outstanding();
        float[] large = {3e38f, 3e38f, 3e38f};
        scene.answer(batches.get(0));
        scene.answer(batches.get(3), large);
        scene.keepBusy();
        scene.answer(batches.get(4), new float[] {-3e38f, -3e38f, -3e38f});

        scene.answer(batches.get(1), large);
        scene.finish();

        assertThat(scene.outcome(1)).isEqualTo(Outcome.PREDICTED);
        assertThat(scene.replies(2)).hasSize(1);
        assertThat(scene.outcome(2)).isEqualTo(Outcome.RECONSTRUCTED);
        scene.answer(batches.get(2));
        assertNothingIsLeft(scene);
    }

    /** It is not due when the other's reconstruction begins, and no answer comes that would be a reason to look. */
    @Test
    void aQueryThatIsDueWhileAnotherIsReconstructedIsReconstructedAfterwards() {
        Scene scene = patient(2, 2, 2);
        int first = scene.submit();
        scene.pass(5);
        int second = scene.submit();
        scene.outstanding().stream()
                .filter(batch -> !batch.instance().role().equals(Role.DEPLOYED))
                .forEach(scene::answer);
        scene.keepBusy();
        scene.pass(15);
        scene.pass(15);
        scene.finish();
        assertThat(scene.outcome(first)).isEqualTo(Outcome.RECONSTRUCTED);

        scene.pass(2);
        scene.pass(2);

        assertThat(scene.replies(second)).hasSize(1);
        assertThat(scene.outcome(second)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void concatenatedImagesAreParityQueries() {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.CONCATENATION, Target.OUTPUTS);
        Code code = new Code(plan, 1, List.of(1, 2, 4));
        List<Batch> sent = new ArrayList<>();
        Broker broker = new Broker(new Policy.Coded(code, Duration.ofMillis(1), 0), Limits.DEFAULT, new Effects() {
            @Override
            public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {}

            @Override
            public void send(Batch batch) {
                sent.add(batch);
            }

            @Override
            public void cancel(Batch batch) {}

            @Override
            public void reply(Query query, Reply reply) {}
        });
        broker.join(new Instance("p", 0, Role.parity(0), "here"), 0);

        broker.submit(Optional.of("a"), new float[] {1, 1, 1, 1, 1, 1, 1, 1}, 0, 1_000, reply -> {});
        broker.submit(Optional.of("a"), new float[] {2, 2, 2, 2, 2, 2, 2, 2}, 0, 1_000, reply -> {});

        assertThat(sent.get(0).inputs()[0]).containsExactly(1, 1, 2, 2, 1, 1, 2, 2);
    }

    private static List<List<Integer>> permutations(int n) {
        List<List<Integer>> all = new ArrayList<>(List.of(List.of()));
        for (int element = 0; element < n; element++) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> shorter : all) {
                for (int place = 0; place <= shorter.size(); place++) {
                    List<Integer> one = new ArrayList<>(shorter);
                    one.add(place, element);
                    longer.add(one);
                }
            }
            all = longer;
        }
        return all;
    }

    private static CountedCode learned(int k, int r) {
        CodePlan plan =
                new CodePlan(k, r, CodePlan.EncoderKind.MLP, CodePlan.Loss.MSE_BASE, CodePlan.ChannelMix.SEPARATE);
        return new CountedCode(plan, List.of(1, 1, Scene.FEATURES), 3);
    }

    private static Policy.Coded coded(CountedCode learned, double patience) {
        Code code = new Code(learned, learned.r(), List.of(1, 1, Scene.FEATURES), InputRange.FINITE, Map.of());
        return new Policy.Coded(code, Scene.GROUP_WAIT, patience);
    }

    @Test
    void aNetworkEncodesAGroupOnceForAllItsParities() {
        try (CountedCode learned = learned(3, 2)) {
            Scene scene = new Scene(coded(learned, 0), Limits.DEFAULT)
                    .with(Role.DEPLOYED, 3)
                    .with(Role.parity(0), 1)
                    .with(Role.parity(1), 1);
            List<float[]> queries = IntStream.range(0, 3)
                    .mapToObj(query -> scene.inputOf(scene.submit()))
                    .toList();
            assertThat(learned.encoded()).as("only when a parity is sent").isZero();
            List<float[]> sent = IntStream.range(0, 2)
                    .mapToObj(parity ->
                            scene.outstanding(Role.parity(parity)).get(0).inputs()[0])
                    .toList();
            assertThat(learned.encoded()).isEqualTo(1);
            GroupEncoder encoder = learned.encoder(List.of(1, 1, Scene.FEATURES), role -> null);
            assertThat(sent.get(0)).isEqualTo(encoder.encode(queries, 0));
            assertThat(sent.get(1)).isEqualTo(encoder.encode(queries, 1)).isNotEqualTo(sent.get(0));
        }
    }

    static List<Throwable> failures() {
        return List.of(
                new ModelException("a test wants it"),
                new OutOfMemoryError("a test wants it"),
                new StackOverflowError("a test wants it"),
                new UnsatisfiedLinkError("a test wants it"));
    }

    /** Its queries have their predictions to wait for. */
    @ParameterizedTest
    @MethodSource("failures")
    void aDecoderThatFailsReconstructsNothingAndItsGroupEnds(Throwable failure) {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        Code code = new Code(new Undecodable(plan, failure), 1, List.of(Scene.FEATURES), InputRange.FINITE, Map.of());
        Scene scene = new Scene(new Policy.Coded(code, Scene.GROUP_WAIT, 0), Limits.DEFAULT)
                .with(Role.DEPLOYED, 2)
                .with(Role.parity(0), 1);
        scene.submit();
        scene.submit();
        List<Batch> batches = scene.outstanding();

        scene.answer(batches.get(0));
        scene.answer(batches.get(2));
        assertThat(scene.replies(1)).isEmpty();
        scene.answer(batches.get(1));

        assertThat(scene.outcome(1)).isEqualTo(Outcome.PREDICTED);
        assertNothingIsLeft(scene);
    }

    /** Twenty groups lose a query each, and the decoder is busy meanwhile. */
    @Test
    void groupsThatWaitAreDecodedTogether() {
        try (CountedCode learned = learned(2, 1)) {
            Scene scene = new Scene(coded(learned, 0), Limits.DEFAULT)
                    .with(Role.DEPLOYED, 40)
                    .with(Role.parity(0), 20);
            for (int query = 0; query < 40; query++) {
                scene.submit();
            }
            List<Batch> deployed = scene.outstanding(Role.DEPLOYED);
            scene.keepBusy();
            for (int query = 0; query < 40; query += 2) {
                scene.answer(deployed.get(query));
            }
            List<Batch> parities = scene.outstanding(Role.parity(0));
            List<float[]> answers = new ArrayList<>();
            for (Batch parity : parities) {
                answers.add(Scene.MODEL.predict(parity.inputs()[0]));
                scene.answer(parity, answers.get(answers.size() - 1));
            }
            assertThat(learned.decoded()).isZero();
            scene.finish();
            assertThat(learned.decoded()).as("16 at once").isEqualTo(2);
            GroupDecoder decoder = learned.decoder(role -> null);
            for (int group = 0; group < 20; group++) {
                float[][] predictions = {Scene.MODEL.predict(scene.inputOf(2 * group)), null};
                decoder.decode(predictions, new float[][] {answers.get(group)});
                Reply reply = scene.replies(2 * group + 1).get(0);
                assertThat(reply.outcome()).isEqualTo(Outcome.RECONSTRUCTED);
                assertThat(reply.values()).containsExactly(predictions[1], within(1e-5f));
            }
            assertThat(scene.broker().unanswered()).isZero();
            scene.outstanding().forEach(scene::answer);
            assertNothingIsLeft(scene);
        }
    }
}
