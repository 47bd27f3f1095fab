/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups are compared when their last answer has come, needed or not, and with what instances answered. */
class AnsweredGroupTest {
    private static final int K = 2;

    private static Scene scene(int r) {
        Scene scene = new Scene(Scene.coded(K, r), Limits.DEFAULT).with(Role.DEPLOYED, K);
        IntStream.range(0, r).forEach(parity -> scene.with(Role.parity(parity), 1));
        return scene;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whicheverAnswerIsTheLastOne(int last) {
        Scene scene = scene(1);
        scene.submit();
        scene.submit();
        List<Batch> sent = scene.outstanding();
        IntStream.range(0, K + 1).filter(place -> place != last).forEach(place -> scene.answer(sent.get(place)));
        assertThat(scene.groups()).isEmpty();

        scene.answer(sent.get(last));

        assertThat(scene.groups()).hasSize(1);
        AnsweredGroup group = scene.groups().get(0);
        assertThat(group.parity()).isZero();
        assertThat(group.predictions())
                .extracting(InstanceAnswer::values)
                .containsExactly(Scene.MODEL.predict(Scene.input(0)), Scene.MODEL.predict(Scene.input(1)));
        assertThat(group.predictions())
                .extracting(InstanceAnswer::by)
                .containsExactly(sent.get(0).instance(), sent.get(1).instance());
        assertThat(group.answer().by().role()).isEqualTo(Role.parity(0));
        assertThat(group.answer().values())
                .isEqualTo(Scene.MODEL.predict(group.answer().input().get()));
    }

    /** The reply is the reconstruction, and what is compared is the prediction that came too late. */
    @Test
    void aReconstructionIsNoAnswer() {
        Scene scene = scene(1);
        scene.submit();
        scene.submit();
        List<Batch> sent = scene.outstanding();
        scene.answer(sent.get(0));
        scene.answer(sent.get(2));
        assertThat(scene.outcome(1)).isEqualTo(Outcome.RECONSTRUCTED);
        float[] wrong = {1e6f, 0, 0};

        scene.answer(sent.get(1), wrong);

        assertThat(scene.groups().get(0).predictions().get(1).values()).isEqualTo(wrong);
        assertThat(scene.replies(1)).hasSize(1);
        assertThat(scene.replies(1).get(0).values()).isEqualTo(Scene.MODEL.predict(Scene.input(1)));
        assertThat(scene.answers())
                .as("each that has come")
                .extracting(InstanceAnswer::by)
                .containsExactly(
                        sent.get(0).instance(),
                        sent.get(2).instance(),
                        sent.get(1).instance());
        assertThat(scene.answers().get(2).values()).isEqualTo(wrong);
        assertThat(scene.broker().kept()).isZero();
    }

    @Test
    void eachParityIsComparedOnce() {
        Scene scene = scene(2);
        scene.submit();
        scene.submit();

        scene.outstanding().forEach(scene::answer);

        assertThat(scene.groups()).extracting(AnsweredGroup::parity).containsExactly(0, 1);
    }

    /** One that is withdrawn from an open group is not missed, and one whose instance was lost is. */
    @Test
    void onlyWholeGroupsAreCompared() {
        Scene scene = scene(1);
        scene.withdraw(scene.submit());
        scene.submit();
        scene.submit();
        scene.outstanding().stream().filter(batch -> !batch.isOver()).forEach(scene::answer);
        scene.outstanding().forEach(scene::answer);
        assertThat(scene.groups()).hasSize(1);

        scene.submit();
        scene.pass(20); // the group is closed, and not full
        scene.outstanding().forEach(scene::answer);

        assertThat(scene.groups()).hasSize(2);
        assertThat(scene.groups().get(1).predictions()).hasSize(1);
    }
}
