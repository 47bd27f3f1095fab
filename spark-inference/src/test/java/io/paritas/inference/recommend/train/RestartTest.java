/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RestartTest {
    private final Restart restart = new Restart();

    @Test
    void itGoesOnWithTheEpochOfTheCheckpoint() {
        assertThat(restart.isDue(0)).isFalse();
        restart.written(2, 0);
        assertThat(restart.isDue(1)).isTrue();
        assertThat(restart.goBack(1)).isEqualTo(2);
        assertThat(restart.isDue(1)).isFalse();
        restart.written(3, 1);
        assertThat(restart.goBack(3)).isEqualTo(3);
        assertThat(restart.rollbacks()).isEqualTo(3);
    }

    /** In epoch 3, servers go back to a checkpoint of epoch 2, and tasks of epoch 3 go on. */
    @Test
    void aCheckpointOfTasksThatHaveNotHeardOfItDoesNotSkipBatches() {
        restart.written(2, 0);
        restart.written(3, 1);
        assertThat(restart.goBack(1)).isEqualTo(2);
    }
}
