/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Model;
import java.nio.FloatBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SamplerTest {
    private static final long SEED = 7;

    private static FloatBuffer inputs(float... values) {
        FloatBuffer buffer = Model.direct(values.length).put(values).flip();
        return buffer.position(values.length); // as a model leaves it
    }

    private static Optional<Sample> offer(Sampler sampler) {
        sampler.offer("model", 1, 2, inputs(1, 2, 3, 4), new float[] {5, 6});
        return sampler.take();
    }

    @Test
    void theFirstBatchIsPickedAndCopied() {
        Sampler sampler = new Sampler(1e-9, SEED);
        FloatBuffer inputs = inputs(1, 2, 3, 4);
        float[] outputs = {5, 6};

        sampler.offer("model", 3, 2, inputs, outputs);
        inputs.put(0, 99);
        outputs[0] = 99;

        Sample sample = sampler.take().orElseThrow();
        assertThat(sample.inputs()).containsExactly(1, 2, 3, 4);
        assertThat(sample.outputs()).containsExactly(5, 6);
        assertThat(sample.whole()).isTrue();
        assertThat(sample.fold()).isEqualTo(3);
        assertThat(inputs.position()).as("the buffer stays as it is").isEqualTo(4);
    }

    @Test
    void ofTheOthersAShareIs() {
        Sampler sampler = new Sampler(0.01, SEED);
        int picked = 0;
        for (int i = 0; i < 100_000; i++) {
            picked += offer(sampler).isPresent() ? 1 : 0;
        }

        assertThat(picked).as("seed %s", SEED).isBetween(900, 1_100);
    }

    @Test
    void noneIsWithoutAShare() {
        Sampler sampler = new Sampler(0, SEED);

        assertThat(offer(sampler)).isEmpty();
        assertThat(offer(Screens.current().sampler()))
                .as("a JVM that is not screened")
                .isEmpty();
    }

    @Test
    void aLargerShareCountsAtOnce() {
        Sampler sampler = new Sampler(1e-9, SEED);
        assertThat(offer(sampler)).isPresent();
        assertThat(offer(sampler)).isEmpty();

        sampler.share(1);

        assertThat(offer(sampler)).isPresent();
        assertThat(offer(sampler)).isPresent();
    }

    @Test
    void ofALargeBatchTheFirstRowsAreTaken() {
        Sampler sampler = new Sampler(1, SEED);
        int rowSize = 700_000; // 2.8 MB
        sampler.offer("model", 1, 3, inputs(new float[3 * rowSize]), new float[] {1, 2, 3});

        Sample sample = sampler.take().orElseThrow();
        assertThat(sample.rows()).isEqualTo(1);
        assertThat(sample.inputs()).hasSize(rowSize);
        assertThat(sample.outputs()).containsExactly(1);
        assertThat(sample.whole()).isFalse();
    }

    @Test
    void ofALargeBatchOfAFoldedModelWholeStacksAreTaken() {
        assertThat(takenOf(4, 2, 300_000)).as("three rows would have room").isEqualTo(2);
        assertThat(takenOf(4, 2, 700_000)).as("one row would have room").isEqualTo(2);
        assertThat(takenOf(3, 4, 400_000)).as("all of a stack that is not full").isEqualTo(3);
        assertThat(takenOf(5, 2, 200_000)).as("five rows have room").isEqualTo(5);
    }

    private static int takenOf(int rows, int fold, int rowSize) {
        Sampler sampler = new Sampler(1, SEED);
        sampler.offer("model", fold, rows, inputs(new float[rows * rowSize]), new float[rows]);
        Sample sample = sampler.take().orElseThrow();
        assertThat(sample.inputs()).hasSize(sample.rows() * rowSize);
        assertThat(sample.outputs()).hasSize(sample.rows());
        assertThat(sample.whole()).isEqualTo(sample.rows() == rows);
        return sample.rows();
    }

    @Test
    void whatNobodyTakesIsDroppedAndCounted() {
        Sampler sampler = new Sampler(1, SEED);
        for (int i = 0; i < 10; i++) {
            sampler.offer("model", 1, 1, inputs(i), new float[] {i});
        }

        assertThat(sampler.dropped()).isEqualTo(6);
        assertThat(sampler.take().orElseThrow().inputs()).containsExactly(0);
    }
}
