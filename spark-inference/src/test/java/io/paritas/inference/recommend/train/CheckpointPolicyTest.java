/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckpointPolicyTest {
    @Test
    void whatIsReachedFirstCounts() {
        CheckpointPolicy both = new CheckpointPolicy("f", Duration.ofMillis(100), 10, 1);
        assertThat(both.isDue(Duration.ofMillis(99), 9)).isFalse();
        assertThat(both.isDue(Duration.ofMillis(100), 0)).isTrue();
        assertThat(both.isDue(Duration.ofMillis(0), 10)).isTrue();
        assertThat(CheckpointPolicy.every("f", Duration.ofMillis(5)).isDue(Duration.ofMillis(4), 1_000_000))
                .isFalse();
        assertThat(CheckpointPolicy.everyBatches("f", 5).isDue(Duration.ofMillis(1_000_000), 4))
                .isFalse();
    }

    @Test
    void neverIsNoPolicy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CheckpointPolicy.every("f", Duration.ZERO))
                .withMessage("checkpoints must be at least 1 ms and 1 batch apart, and at least 1 be kept, got 0 ms,"
                        + " 9223372036854775807 batches and 2");
    }
}
