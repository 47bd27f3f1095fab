/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Sampler;
import io.paritas.inference.screen.StackScreen;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackCheckTest {
    private static final int FOLD = 3;

    /** Answers each of three images of two values with its sum and a little more by its place; may be wrong in a place. */
    static final class Sums implements Model {
        private int wrongPlace = -1;
        private float wrong;
        private boolean full;

        @Override
        public TensorSpec input() {
            return new TensorSpec("in", List.of(FOLD, 1, 2));
        }

        @Override
        public TensorSpec output() {
            return new TensorSpec("out", List.of(FOLD));
        }

        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            if (full) {
                throw new OutOfMemoryError("Cannot reserve direct buffer memory: thrown on purpose by this test");
            }
            for (int i = 0; i < rows * FOLD; i++) {
                float off = i % FOLD == wrongPlace ? wrong : 0;
                outputs.put(inputs.get() + inputs.get() + 0.25f * (i % FOLD) + off);
            }
        }

        @Override
        public void close() {}
    }

    private final Sums sums = new Sums();
    private final StackCheck check = new StackCheck(sums, FOLD);
    private final float[] stack = {1, 0, 2, 0, 3, 0};

    @Test
    void copiesAreAboutEqual() {
        assertThat(check.copies(new float[] {5, 5})).isEqualTo(0.5);
        sums.wrongPlace = 1;
        sums.wrong = 4;
        assertThat(check.copies(new float[] {5, 5})).isEqualTo(4.25);
        sums.wrong = Float.NaN;
        assertThat(check.copies(new float[] {5, 5})).isInfinite();
    }

    /** Image 0 goes from place 0 to 2, the others go one place down. */
    @Test
    void imagesInOtherPlacesHaveAboutTheSameAnswers() {
        float[] answers = sums.predict(stack);
        assertThat(check.turned(stack, answers)).isCloseTo(0.5, within(1e-6));
        answers[2] += 10;
        assertThat(check.turned(stack, answers)).isCloseTo(10.25, within(1e-5));
        answers[2] = Float.NEGATIVE_INFINITY;
        assertThat(check.turned(stack, answers)).isInfinite();
    }

    @Test
    void batchesWhoseStacksDoNotAgreeAreAudited() {
        Sampler sampler = new Sampler(0, 1);
        FoldedModel model = new FoldedModel(sums, FOLD);
        FloatBuffer inputs = Model.direct(stack.length).put(stack).flip();
        float[] answers = sums.predict(stack);
        StackScreen screen = new StackScreen(1, 1, sampler);

        screen.offer("sha options", model, 1, FOLD, inputs, answers);
        assertThat(sampler.take()).isEmpty();
        answers[0] = 100;
        screen.offer("sha options", model, 1, FOLD, inputs, answers);

        Sample sample = sampler.take().orElseThrow();
        assertThat(sample.fold()).isEqualTo(FOLD);
        assertThat(sample.outputs()).containsExactly(answers);
        assertThat(sample.reason()).hasToString("FOLDED");
        assertThat(screen.take()).isEqualTo(2);
        assertThat(screen.take()).isZero();
        new StackScreen(0, 1, sampler).offer("sha options", model, 1, FOLD, inputs, answers);
        assertThat(sampler.take()).isEmpty();
    }

    /** The batch is answered already. */
    @Test
    void whereMemoryIsShortAStackIsNotChecked() {
        Sampler sampler = new Sampler(0, 1);
        FloatBuffer inputs = Model.direct(stack.length).put(stack).flip();
        float[] answers = sums.predict(stack);
        answers[0] = 100;
        sums.full = true;

        new StackScreen(1, 1, sampler).offer("sha options", new FoldedModel(sums, FOLD), 1, FOLD, inputs, answers);

        assertThat(sampler.take()).isEmpty();
    }

    @Test
    void aStackThatIsNotFullIsNotChecked() {
        FoldedModel model = new FoldedModel(sums, FOLD);

        assertThat(model.disagreement(Model.direct(4).put(new float[4]).flip(), new float[] {9, -9}))
                .isZero();
        assertThatThrownBy(() -> new StackCheck(sums, 1))
                .hasMessage("a stack must have at least 2 images to compare, got 1");
    }
}
