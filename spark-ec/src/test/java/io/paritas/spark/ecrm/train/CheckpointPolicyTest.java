/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class CheckpointPolicyTest {
    @Test
    void whatIsReachedFirstCounts() {
        CheckpointPolicy both = new CheckpointPolicy("f", 100, 10, 1);
        assertThat(both.isDue(99, 9)).isFalse();
        assertThat(both.isDue(100, 0)).isTrue();
        assertThat(both.isDue(0, 10)).isTrue();
        assertThat(CheckpointPolicy.everyMillis("f", 5).isDue(4, 1_000_000)).isFalse();
        assertThat(CheckpointPolicy.everyBatches("f", 5).isDue(1_000_000, 4)).isFalse();
    }

    @Test
    void neverIsNoPolicy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CheckpointPolicy.everyMillis("f", 0))
                .withMessage(
                        "A checkpoint is written at most every millisecond, or every batch, and at least 1 is kept;"
                                + " got 0 ms, 9223372036854775807 batches, and 2");
    }
}
