/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class EarlyStopTest {
    @Test
    void itIsDueAfterEnoughEvaluationsWithoutABetterOne() {
        EarlyStop stop = new EarlyStop(2);
        assertThat(stop.isDue()).isFalse();
        stop.evaluated(1, 0.7);
        stop.evaluated(2, 0.72);
        stop.evaluated(3, 0.71);
        assertThat(stop.isDue()).isFalse();
        stop.evaluated(4, 0.72);
        assertThat(stop.isDue()).isTrue();
        assertThat(stop).hasToString("the best AUC was 0.7200, after epoch 2");
        stop.forgetAfter(3);
        assertThat(stop.isDue()).as("epoch 4 is trained again").isFalse();
        stop.evaluated(4, 0.73);
        stop.evaluated(5, Double.NaN);
        assertThat(stop.isDue()).isFalse();
        stop.evaluated(6, 0.5);
        assertThat(stop.isDue()).isTrue();
    }

    /** A checkpoint may have all batches of an epoch whose task has not ended. */
    @Test
    void itKnowsWhichEpochsHaveAModel() {
        EarlyStop stop = new EarlyStop(2);
        assertThat(stop.isTrained(1)).as("a resumed training's").isFalse();
        stop.trained(2);
        stop.evaluated(2, 0.7);
        stop.trained(3); // and servers go back before it is evaluated, or while it is
        stop.forgetAfter(1);
        assertThat(stop).hasToString("not evaluated");
        assertThat(stop.isTrained(1)).isFalse();
        assertThat(stop.isTrained(2)).isTrue();
        assertThat(stop.isTrained(3)).as("never evaluated").isTrue();
        stop.trained(1);
        assertThat(stop.isTrained(1)).as("they went back further").isTrue();
    }

    /** Samples of one label have no AUC, so there is no better one. */
    @Test
    void withoutAnyNumberItIsNeverDue() {
        EarlyStop stop = new EarlyStop(2);
        for (int epoch = 1; epoch < 9; epoch++) {
            stop.evaluated(epoch, Double.NaN);
        }
        assertThat(stop.isDue()).isFalse();
        assertThat(stop).hasToString("not evaluated");
    }

    @Test
    void withoutPatienceItIsNeverDue() {
        EarlyStop stop = new EarlyStop(0);
        for (int epoch = 1; epoch < 9; epoch++) {
            stop.evaluated(epoch, 1.0 / epoch);
        }
        assertThat(stop.isDue()).isFalse();
    }

    @Test
    void itNeedsSamples() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Evaluations(Optional.empty(), 1, 3))
                .withMessage("to stop early, a training must be evaluated, and has no samples for it: set evaluation");
    }
}
