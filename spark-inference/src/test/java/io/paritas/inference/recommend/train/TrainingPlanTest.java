/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.spark.ecrm.placement.StripePlacement;
import org.junit.jupiter.api.Test;

class TrainingPlanTest {
    /** In words of who trains: a push in parts, which servers ask for, is nothing that users of a trainer have. */
    @Test
    void aBatchThatIsTooLargeForAPushIsRefused() {
        TrainingPlan plan = SmallPlan.plan();
        StripePlacement stripes = plan.spec().stripes();
        MiniBatch batch = new MiniBatch(new float[2], new float[2], new int[] {0, 2, 4}, new long[] {1, 2, 2, 3});
        plan.requireRoom(stripes, batch, 48);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.requireRoom(stripes, batch, 47))
                .withMessage(
                        "the embedding rows of a batch must have at most 47 bytes on a server, with their optimizer's"
                                + " state, got 48 for 2 samples with 3 distinct embedding rows: train with fewer samples in a batch"
                                + " (batch is 5) or with more servers (servers is 1)");
    }
}
