/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BlockTest {
    @Test
    void whatIsSharedDoesNotChange() {
        Block block = Block.initial(new BlockSpec(2, new Optimizer.Sgd(1), new Initializer(0, 0, 0)));
        float[] first = block.share();
        block.update(new float[] {1, 2});
        assertThat(first).containsExactly(0, 0);
        float[] second = block.share();
        assertThat(second).containsExactly(-1, -2);
        block.copy(new float[] {7, 8}, 2);
        block.update(new float[] {1, 1});
        block.update(new float[] {1, 1});
        assertThat(first).containsExactly(0, 0);
        assertThat(second).containsExactly(-1, -2);
        assertThat(block.parameters()).containsExactly(5, 6);
        assertThat(block.updates()).isEqualTo(4);
    }
}
