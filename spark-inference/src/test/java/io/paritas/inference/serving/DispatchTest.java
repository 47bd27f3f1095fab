/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which instance gets what, by how long instances have taken. A batch usually takes 10 ms. */
class DispatchTest {
    private static final long USUAL = 10;
    private static final int KNOWN = 60;

    /** The policies with a deployed model of three instances; of some, each query goes to more than one. */
    static Stream<Policy> policies() {
        return Stream.of(
                new Policy.Uncoded(),
                new Policy.Hedged(90, Duration.ofMillis(50)),
                new Policy.Auto(Duration.ofMillis(50)),
                Scene.coded(2, 1),
                new Policy.Backup());
    }

    /** Three instances that have answered some queries each, in the usual time, but the first took four times as long for its last. */
    private static Scene scene(Policy policy) {
        Scene scene = new Scene(policy, Limits.DEFAULT).with(Role.DEPLOYED, 3);
        for (int i = 0; i < KNOWN; i++) {
            IntStream.range(0, 3).forEach(query -> scene.submit("tenant " + query));
            scene.elapse(USUAL);
            scene.outstanding(Role.DEPLOYED).forEach(scene::answer);
            scene.pass(0);
        }
        IntStream.range(0, 3).forEach(query -> scene.submit("tenant " + query));
        scene.elapse(USUAL);
        scene.outstanding(Role.DEPLOYED).stream()
                .filter(batch -> !isFirst(batch))
                .forEach(scene::answer);
        scene.elapse(3 * USUAL);
        scene.outstanding(Role.DEPLOYED).forEach(scene::answer);
        return scene;
    }

    private static boolean isFirst(Batch batch) {
        return batch.instance().id().equals("deployed/0");
    }

    private static List<String> busy(Scene scene) {
        return scene.outstanding(Role.DEPLOYED).stream()
                .map(batch -> batch.instance().id())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aSlowInstanceGetsNothingThatOthersDoSooner(Policy policy) {
        Scene scene = scene(policy);

        IntStream.range(0, 3).forEach(query -> scene.submit("tenant " + query));

        assertThat(busy(scene)).containsExactlyInAnyOrder("deployed/1", "deployed/2");
        scene.elapse(USUAL);
        scene.answer(scene.outstanding(Role.DEPLOYED).get(0));
        assertThat(busy(scene)).containsExactlyInAnyOrder("deployed/1", "deployed/2");
    }

    /** The others take two at a time, so what is behind the third would not be done after 2.5 usual times. */
    @Test
    void itGetsWhatIsFarBehindInTheQueue() {
        Scene scene = scene(new Policy.Uncoded());
        int first = scene.queries();

        IntStream.range(0, 5).forEach(query -> scene.submit());
        assertThat(busy(scene)).doesNotContain("deployed/0");
        scene.submit();

        assertThat(busy(scene)).contains("deployed/0");
        assertThat(scene.outstanding().get(2).works().get(0).query().input()).isSameAs(scene.inputOf(first + 5));
    }

    @Test
    void itGetsWhatNobodyElseWouldDo() {
        Scene scene = scene(new Policy.Uncoded());
        IntStream.range(0, 3).forEach(query -> scene.submit());
        assertThat(busy(scene)).doesNotContain("deployed/0");

        // The others are not lost, they stand still: no event says so.
        IntStream.range(0, 4).forEach(i -> scene.pass(USUAL));

        assertThat(busy(scene)).contains("deployed/0");
    }

    @Test
    void itGetsWhatFailsOnTheOthers() {
        Scene scene = scene(new Policy.Uncoded());
        scene.submit();

        scene.fail(scene.outstanding().get(0), "too little memory");
        assertThat(busy(scene)).hasSize(1).doesNotContain("deployed/0");
        scene.fail(scene.outstanding().get(0), "too little memory");

        assertThat(busy(scene)).containsExactly("deployed/0");
    }

    @Test
    void aCopyOfOtherWorkShowsThatItIsWellAgain() {
        Scene scene = scene(new Policy.Uncoded());
        scene.pass(19 * USUAL);
        scene.submit();
        assertThat(busy(scene)).doesNotContain("deployed/0");
        scene.answer(scene.outstanding().get(0));

        scene.pass(2 * USUAL);
        int asked = scene.submit();
        assertThat(busy(scene)).contains("deployed/0").hasSize(2);
        Batch probe = scene.outstanding().stream()
                .filter(DispatchTest::isFirst)
                .findAny()
                .orElseThrow();
        assertThat(probe.inputs()[0]).isSameAs(scene.inputOf(asked));
        scene.elapse(USUAL);
        scene.answer(probe);
        assertThat(scene.replies(asked)).isEmpty();
        scene.answer(scene.outstanding().get(0));
        assertThat(scene.replies(asked)).hasSize(1);

        IntStream.range(0, 3).forEach(query -> scene.submit());
        assertThat(busy(scene)).contains("deployed/0");
        assertThat(scene.broker().meter().events()).containsEntry("late", 0L);
    }

    @Test
    void whatIsSlowBecauseAllAreIsNotAvoided() {
        Scene scene = new Scene(new Policy.Uncoded(), Limits.DEFAULT).with(Role.DEPLOYED, 2);
        for (int i = 0; i < KNOWN; i++) {
            IntStream.range(0, 2).forEach(query -> scene.submit());
            scene.elapse(USUAL);
            scene.outstanding().forEach(scene::answer);
        }
        for (int i = 0; i < 3; i++) {
            IntStream.range(0, 2).forEach(query -> scene.submit());
            scene.elapse(5 * USUAL);
            scene.outstanding().forEach(scene::answer);
        }

        IntStream.range(0, 2).forEach(query -> scene.submit());

        assertThat(busy(scene)).hasSize(2);
    }

    @Test
    void aProbeThatFailsOrIsLostIsNotTriedAgain() {
        Scene scene = scene(new Policy.Uncoded());
        scene.pass(21 * USUAL);
        scene.submit();
        Batch probe = scene.outstanding().stream()
                .filter(DispatchTest::isFirst)
                .findAny()
                .orElseThrow();

        scene.lose(probe.instance());
        scene.answer(scene.outstanding().get(0));

        assertThat(scene.outstanding()).isEmpty();
        assertThat(scene.broker().kept()).isZero();
        assertThat(scene.broker().meter().events()).containsEntry("retried", 0L).containsEntry("failed", 0L);
    }

    /** Three instances, the first of which has failed with whatever it got. */
    private static Scene failing() {
        Scene scene = new Scene(new Policy.Uncoded(), Limits.DEFAULT).with(Role.DEPLOYED, 3);
        for (int i = 0; i < KNOWN; i++) {
            IntStream.range(0, 3).forEach(query -> scene.submit());
            while (!scene.outstanding().isEmpty()) {
                failFirst(scene);
                scene.elapse(USUAL);
                scene.outstanding().forEach(scene::answer);
            }
        }
        return scene;
    }

    private static void failFirst(Scene scene) {
        while (busy(scene).contains("deployed/0")) {
            scene.fail(first(scene), "too little memory");
        }
    }

    private static Batch first(Scene scene) {
        return scene.outstanding().stream()
                .filter(DispatchTest::isFirst)
                .findAny()
                .orElseThrow();
    }

    @Test
    void anInstanceThatAlwaysFailsGetsNothingThatOthersDoSooner() {
        Scene scene = failing();

        assertThat(IntStream.range(0, scene.queries()).mapToObj(scene::outcome)).containsOnly(Outcome.PREDICTED);
        assertThat(scene.broker().meter().events()).containsEntry("failed", 3L);
        IntStream.range(0, 3).forEach(query -> scene.submit());
        assertThat(busy(scene)).containsExactlyInAnyOrder("deployed/1", "deployed/2");
    }

    @Test
    void aCopyShowsNowAndThenWhetherItStillFails() {
        Scene scene = failing();
        scene.pass(21 * USUAL);
        scene.submit();
        scene.fail(first(scene), "too little memory");
        scene.pass(1);
        scene.submit();
        assertThat(busy(scene)).containsExactlyInAnyOrder("deployed/1", "deployed/2");
        scene.outstanding().forEach(scene::answer);

        scene.pass(21 * USUAL);
        scene.submit();
        scene.elapse(USUAL);
        scene.answer(first(scene));
        IntStream.range(0, 2).forEach(query -> scene.submit());

        assertThat(busy(scene)).contains("deployed/0").hasSize(3);
    }

    /** The fault may be the query's, and who skips what nobody wants has none. */
    @Test
    void whoFailsWithOneQueryOrWithWhatNobodyWantsIsNotAvoided() {
        Scene scene = new Scene(new Policy.Uncoded(), Limits.DEFAULT).with(Role.DEPLOYED, 1);
        for (int i = 0; i < 3; i++) {
            int unwanted = scene.submit();
            scene.withdraw(unwanted);
            scene.fail(scene.outstanding().get(0), "the batch was cancelled");
        }
        scene.submit();
        for (int attempt = 0; attempt < Limits.DEFAULT.attempts(); attempt++) {
            scene.fail(scene.outstanding().get(0), "the model failed: too large");
        }
        scene.join(Role.DEPLOYED, 1, 0);

        scene.submit();

        assertThat(busy(scene)).containsExactly("deployed/0");
    }
}
