/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors predict a batch of two rows with two values each, right or wrong. */
class JuryTest {
    private static final String PLATFORM = "a processor";
    private static final float[] INPUTS = {1, 2};
    private static final float[] RIGHT = {1, 2, 3, 4};
    private static final float[] WRONG = {1, 2, 3, -4};
    private static final float[] OTHERWISE_WRONG = {1, 2, -3, 4};

    private final AtomicLong clock = new AtomicLong();
    private final Jury jury = new Jury(Duration.ofSeconds(30), clock::get);

    private void submit(String author, float[] outputs) {
        jury.submit(author, PLATFORM, new Sample("sha options", 1, true, 2, INPUTS, outputs, Reason.CHANCE));
    }

    /** A row of a batch, by a model with one output. */
    private void submitRow(String author, float output) {
        jury.submit(author, PLATFORM, new Sample("score", 1, false, 1, INPUTS, new float[] {output}, Reason.CHANCE));
    }

    private Optional<Verdict> saysOfRow(String executor, float output) {
        return says(executor, new float[] {output});
    }

    /** Executors agree on rows. */
    private void agreeOn(float... outputs) {
        for (float output : outputs) {
            submitRow("1", output);
            assertThat(saysOfRow("2", output).orElseThrow().wrong()).isEmpty();
        }
    }

    private Jury.Question asked(String executor) {
        return jury.next(executor).orElseThrow(() -> new AssertionError(executor + " should have been asked"));
    }

    private Optional<Verdict> says(String executor, float[] outputs) {
        return jury.answer(asked(executor).id(), executor, PLATFORM, Optional.of(outputs));
    }

    private void live(String... executors) {
        for (String executor : executors) {
            assertThat(jury.next(executor)).as(executor).isEmpty();
        }
    }

    @Test
    void twoThatAgreeAreRight() {
        submit("1", RIGHT);

        Jury.Question question = asked("2");
        assertThat(question.inputs()).isEqualTo(INPUTS);
        Verdict verdict = jury.answer(question.id(), "2", PLATFORM, Optional.of(RIGHT.clone()))
                .orElseThrow();

        assertThat(verdict).isEqualTo(new Verdict("sha options", Reason.CHANCE, Set.of("1", "2"), Map.of()));
        assertThat(jury.open()).isZero();
    }

    /** Who has left may be wrong in a case that is open. */
    @Test
    void executorsAreInvolvedForAsLongAsTheirCases() {
        submit("1", WRONG);
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
        assertThat(says("2", RIGHT)).isEmpty();
        assertThat(jury.live()).containsExactly("2");
        assertThat(jury.involved()).containsExactlyInAnyOrder("1", "2");

        clock.addAndGet(Duration.ofSeconds(301).toNanos());
        live("3");
        assertThat(jury.involved()).containsExactly("3");
    }

    @Test
    void theAuthorIsNotAskedAboutItsOwnBatch() {
        submit("1", RIGHT);

        assertThat(jury.next("1")).isEmpty();
    }

    @Test
    void aThirdTellsWhoOfTwoIsWrong() {
        live("1", "2", "3");
        submit("1", WRONG);

        assertThat(says("2", RIGHT)).isEmpty();
        Verdict verdict = says("3", RIGHT).orElseThrow();

        assertThat(verdict.right()).containsExactlyInAnyOrder("2", "3");
        assertThat(verdict.wrong().keySet()).containsExactly("1");
        Difference difference = verdict.wrong().get("1");
        assertThat(difference.values()).isEqualTo(1);
        assertThat(difference.rows()).containsExactly(1);
        assertThat(difference.bits().indexOf(1)).as("the bit of the sign").isEqualTo(31);
    }

    @Test
    void theJurorMayBeWrongToo() {
        live("1", "2", "3");
        submit("1", RIGHT);

        assertThat(says("2", WRONG)).isEmpty();
        assertThat(says("3", RIGHT).orElseThrow().wrong().keySet()).containsExactly("2");
    }

    /** Every answer of three executors, two of which are right, or all. */
    @ParameterizedTest
    @ValueSource(strings = {"rrr", "wrr", "rwr", "rrw"})
    void aRightOneIsNeverBlamed(String answers) {
        live("1", "2", "3");
        submit("1", of(answers.charAt(0)));
        Optional<Verdict> verdict = says("2", of(answers.charAt(1)));
        if (verdict.isEmpty()) {
            verdict = says("3", of(answers.charAt(2)));
        }

        List<String> wrong = answers.contains("w") && !answers.equals("rrw")
                ? List.of(String.valueOf(answers.indexOf('w') + 1))
                : List.of();
        assertThat(verdict.orElseThrow().wrong().keySet()).containsExactlyElementsOf(wrong);
    }

    private static float[] of(char answer) {
        return answer == 'r' ? RIGHT.clone() : WRONG.clone();
    }

    @Test
    void ofTwoExecutorsTheOneThatChangesItsMindWasWrong() {
        live("1", "2");
        submit("1", WRONG);

        assertThat(says("2", RIGHT)).isEmpty();
        Verdict verdict = says("1", RIGHT).orElseThrow();

        assertThat(verdict.wrong().keySet()).containsExactly("1");
        assertThat(verdict.right()).containsExactly("2");
    }

    @Test
    void ofTwoThatBothInsistNobodyIsBlamed() {
        live("1", "2");
        submit("1", WRONG);

        assertThat(says("2", RIGHT)).isEmpty();
        assertThat(says("1", WRONG)).isEmpty();
        assertThat(says("2", RIGHT)).isEmpty();
        live("1", "2");
        clock.addAndGet(Duration.ofSeconds(301).toNanos());
        live("1", "2");

        assertThat(jury.open()).isZero();
        assertThat(jury.undecided()).isEqualTo(1);
    }

    @Test
    void aThirdThatComesLaterDecides() {
        live("1", "2");
        submit("1", WRONG);
        says("2", RIGHT);
        says("1", WRONG);
        says("2", RIGHT);

        assertThat(says("3", RIGHT).orElseThrow().wrong().keySet()).containsExactly("1");
    }

    @Test
    void threeThatAllDifferAreAskedOnceMore() {
        live("1", "2", "3");
        submit("1", WRONG);
        assertThat(says("2", OTHERWISE_WRONG)).isEmpty();
        assertThat(says("3", RIGHT)).isEmpty();

        Verdict verdict = says("1", RIGHT).orElseThrow();

        assertThat(verdict.right()).containsExactly("3");
        assertThat(verdict.wrong().keySet()).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void whoCannotPredictTheBatchIsAskedAgainLater() {
        submit("1", RIGHT);
        assertThat(jury.answer(asked("2").id(), "2", PLATFORM, Optional.empty()))
                .isEmpty();

        assertThat(jury.next("2")).isEmpty();
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
        assertThat(says("2", RIGHT)).isPresent();
    }

    @Test
    void whoDoesNotAnswerIsReplaced() {
        submit("1", RIGHT);
        Jury.Question question = asked("2");
        assertThat(jury.next("3")).isEmpty();

        clock.addAndGet(Duration.ofSeconds(31).toNanos());

        assertThat(says("3", RIGHT)).isPresent();
        assertThat(jury.answer(question.id(), "2", PLATFORM, Optional.of(WRONG)))
                .as("too late")
                .isEmpty();
    }

    @Test
    void aBatchThatNobodyElseCanPredictIsDroppedAndCounted() {
        submit("1", RIGHT);
        assertThat(jury.next("1")).isEmpty();

        clock.addAndGet(Duration.ofSeconds(301).toNanos());

        assertThat(jury.next("1")).isEmpty();
        assertThat(jury.open()).isZero();
        assertThat(jury.unaudited()).isEqualTo(1);
    }

    @Test
    void moreThanItCanHoldAreDroppedAndCounted() {
        for (int i = 0; i < 70; i++) {
            submit("1", RIGHT);
        }

        assertThat(jury.open()).isEqualTo(64);
        assertThat(jury.unaudited()).isEqualTo(6);
    }

    /** Sums of other processors have another order. */
    @Test
    void otherProcessorsMayDifferInTheLastBits() {
        submit("1", RIGHT);
        float[] near = {1, 2, 3, Math.nextUp(4f)};

        assertThat(jury.answer(asked("2").id(), "2", "another processor", Optional.of(near))
                        .orElseThrow()
                        .wrong())
                .isEmpty();
    }

    @Test
    void equalProcessorsMayNot() {
        live("1", "2", "3");
        submit("1", RIGHT);

        assertThat(says("2", new float[] {1, 2, 3, Math.nextUp(4f)})).isEmpty();
        assertThat(says("3", RIGHT).orElseThrow().wrong().keySet()).containsExactly("2");
    }

    /** Which of two NaNs a maximum is, say, differs between code that is interpreted and code that is compiled. */
    @Test
    void aNanOfAnotherSignIsNotWrong() {
        submit("1", new float[] {1, 2, 3, Float.NaN});

        assertThat(says("2", new float[] {1, 2, 3, Float.intBitsToFloat(0xFFC00000)})
                        .orElseThrow()
                        .wrong())
                .isEmpty();
    }

    @Test
    void nansAreNotAmongTheValuesThatDiffer() {
        live("1", "2", "3");
        submit("1", new float[] {1, -2, 3, Float.NaN});

        assertThat(says("2", new float[] {1, 2, 3, Float.intBitsToFloat(0xFFC00000)}))
                .isEmpty();
        Verdict verdict = says("3", new float[] {1, 2, 3, Float.NaN}).orElseThrow();

        assertThat(verdict.wrong().get("1")).isEqualTo(Difference.of(new float[] {2}, new float[] {-2}, 1));
    }

    @Test
    void anotherProcessorThatIsNearBothAccusesNobody() {
        live("1", "2", "3", "4");
        submit("1", new float[] {1, 2, 3, Math.nextUp(4f)});

        assertThat(says("2", RIGHT)).isEmpty();
        assertThat(jury.answer(asked("3").id(), "3", "another processor", Optional.of(RIGHT)))
                .isEmpty();
        Verdict verdict = says("4", RIGHT).orElseThrow();

        assertThat(verdict.right()).containsExactlyInAnyOrder("2", "3", "4");
        assertThat(verdict.wrong().keySet()).containsExactly("1");
    }

    /** A row is summed in another order when it is alone. All of its values may be near zero. */
    @Test
    void aRowNearZeroMayDifferByWhatOthersAreRoundedBy() {
        live("1", "2", "3");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f);
        submitRow("1", -3.6229577E-4f);

        assertThat(saysOfRow("2", -3.6272407E-4f).orElseThrow().wrong()).isEmpty();
    }

    @Test
    void aRowNearZeroIsWrongIfItDiffersByMore() {
        live("1", "2", "3");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f);
        submitRow("1", -3.6229577E-4f);

        assertThat(saysOfRow("2", 0.5f)).isEmpty();
        assertThat(saysOfRow("3", 0.5f).orElseThrow().wrong().keySet()).containsExactly("1");
    }

    @Test
    void ofTwoExecutorsTheOneThatRoundsOtherwiseNextTimeWasNotWrong() {
        live("1", "2");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f);
        submitRow("1", -3.6229577E-4f);

        assertThat(saysOfRow("2", -3.6272407E-4f).orElseThrow().right()).containsExactlyInAnyOrder("1", "2");
        assertThat(jury.next("1")).isEmpty();
    }

    @Test
    void aBatchOfAnotherProcessorNearZeroIsRightToo() {
        live("1", "2", "3");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f);
        float[] whole = {-3.6229577E-4f};
        jury.submit("1", "another processor", new Sample("score", 1, true, 1, INPUTS, whole, Reason.CHANCE));

        assertThat(saysOfRow("2", -3.6272407E-4f).orElseThrow().wrong()).isEmpty();
    }

    /** Zeros tell nothing. */
    @Test
    void nobodyIsAccusedBeforeSomeValuesAreKnown() {
        live("1", "2", "3");
        agreeOn(0.5f, 0, 0, 0, 0, 0, 0, 0, 0);
        submitRow("1", -3.6229577E-4f);
        assertThat(saysOfRow("2", -3.7e-4f)).as("far by half").isPresent();
        submitRow("1", 9);

        assertThat(saysOfRow("2", 0.5f)).isEmpty();
        assertThat(saysOfRow("3", 0.5f)).isEmpty();
        assertThat(jury.undecided()).isEqualTo(1);
        assertThat(jury.open()).isZero();
    }

    @Test
    void whatOneExecutorSaysDoesNotHideWhatIsWrong() {
        live("1", "2", "3");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f);
        for (float wrong : new float[] {1e30f, 9, Float.POSITIVE_INFINITY}) {
            submitRow("1", wrong);
            assertThat(saysOfRow("2", 0.5f)).isEmpty();
            assertThat(saysOfRow("3", 0.5f).orElseThrow().wrong().keySet())
                    .as("%s", wrong)
                    .containsExactly("1");
        }
    }

    /** A mask of -1e9 is right, and its thousandth is no rounding of other values. */
    @Test
    void aRareValueThatIsLargeDoesNotHideWhatIsWrong() {
        live("1", "2", "3");
        agreeOn(0.5f, -1, 0.7f, 1.2f, -0.3f, 0.9f, -0.8f, 0.1f, 1.5f, -1e9f);
        submitRow("1", 9);

        assertThat(saysOfRow("2", 0.5f)).isEmpty();
        assertThat(saysOfRow("3", 0.5f).orElseThrow().wrong().keySet()).containsExactly("1");
        submitRow("1", -1e9f);
        assertThat(saysOfRow("2", Math.nextUp(-1e9f)).orElseThrow().wrong())
                .as("its own rounding")
                .isEmpty();
    }

    /** Four coordinates of a box and many scores, say: a coordinate near zero has the roundings of the others. */
    @Test
    void aFewLargeValuesOfEachRowAreUsual() {
        live("1", "2", "3");
        float[] row = new float[84];
        Arrays.fill(row, 1e-4f);
        row[0] = 300;
        row[1] = -0.01001f;
        float[] rounded = row.clone();
        rounded[1] = -0.00998f;
        jury.submit("1", PLATFORM, new Sample("boxes", 1, false, 1, INPUTS, row, Reason.CHANCE));

        assertThat(says("2", rounded).orElseThrow().wrong()).isEmpty();
        for (int i = 0; i < 20; i++) {
            jury.submit("1", PLATFORM, new Sample("boxes", 1, false, 1, INPUTS, row, Reason.CHANCE));
            assertThat(says("2", row).orElseThrow().wrong()).isEmpty();
        }
        row = rounded.clone();
        row[0] = 0.1f;
        rounded[0] = 0.1f;
        rounded[1] = -0.02f;
        jury.submit("1", PLATFORM, new Sample("boxes", 1, false, 1, INPUTS, row, Reason.CHANCE));
        assertThat(says("2", rounded).orElseThrow().wrong())
                .as("where the row has none of them")
                .isEmpty();
    }

    /** How large the numbers of a model are does not matter where one is none. */
    @Test
    void whatIsNoNumberIsWrongBeforeValuesAreKnown() {
        live("1", "2", "3");
        submitRow("1", Float.NaN);

        assertThat(saysOfRow("2", 0.5f)).isEmpty();
        assertThat(saysOfRow("3", 0.5f).orElseThrow().wrong().keySet()).containsExactly("1");
    }

    @Test
    void valuesOfLongAgoAreForgotten() {
        live("1", "2", "3");
        agreeOn(1e6f, 1e6f, 1e6f, 1e6f, 1e6f, 1e6f, 1e6f, 1e6f);
        for (int i = 0; i < 2000; i++) {
            agreeOn(1);
        }
        submitRow("1", 9);

        assertThat(saysOfRow("2", 1)).isEmpty();
        assertThat(saysOfRow("3", 1).orElseThrow().wrong().keySet()).containsExactly("1");
    }

    private void hosts(String... executors) {
        for (String executor : executors) {
            jury.heard(executor, executor.substring(0, 1));
        }
    }

    @Test
    void anotherHostIsAskedFirst() {
        hosts("a1", "a2", "b1");
        submit("a1", RIGHT);

        assertThat(jury.next("a2")).isEmpty();
        assertThat(says("b1", RIGHT).orElseThrow().right()).containsExactlyInAnyOrder("a1", "b1");
    }

    @Test
    void onOneHostItsExecutorsJudgeEachOther() {
        hosts("a1", "a2", "a3");
        submit("a1", WRONG);

        assertThat(says("a2", RIGHT)).isEmpty();
        assertThat(says("a3", RIGHT).orElseThrow().wrong().keySet()).containsExactly("a1");
    }

    /** Such as those that have the same wrong library: they are more than the sound ones. */
    @Test
    void executorsOfOneHostThatAreWrongAlikeAccuseNobody() {
        hosts("a1", "a2", "a3", "b1", "b2");
        submit("b1", RIGHT);

        assertThat(says("a1", WRONG)).isEmpty();
        assertThat(says("a2", WRONG)).isEmpty();
        assertThat(says("a3", WRONG)).isEmpty();
        assertThat(says("b2", RIGHT)).isEmpty();
        for (String again : List.of("a1", "a2", "a3")) {
            assertThat(says(again, WRONG)).as(again).isEmpty();
        }
        hosts("c1");
        assertThat(says("c1", RIGHT).orElseThrow().wrong().keySet()).containsExactlyInAnyOrder("a1", "a2", "a3");
    }

    @Test
    void ofTwoHostsTheOneWhoseExecutorsAgreeIsRight() {
        hosts("a1", "a2", "b1", "b2");
        submit("a1", WRONG);

        assertThat(says("b1", RIGHT)).isEmpty();
        assertThat(says("b2", RIGHT)).as("the other one might say the same").isEmpty();
        Verdict verdict = says("a2", OTHERWISE_WRONG).orElseThrow();

        assertThat(verdict.right()).containsExactlyInAnyOrder("b1", "b2");
        assertThat(verdict.wrong().keySet()).containsExactlyInAnyOrder("a1", "a2");
    }

    @Test
    void aNeighbourTellsWhoOfTwoHostsIsWrong() {
        hosts("a1", "a2", "b1", "b2");
        submit("b1", RIGHT);

        assertThat(says("a1", WRONG)).isEmpty();
        Verdict verdict = says("a2", RIGHT).orElseThrow();

        assertThat(verdict.right()).containsExactlyInAnyOrder("a2", "b1");
        assertThat(verdict.wrong().keySet()).containsExactly("a1");
    }
}
