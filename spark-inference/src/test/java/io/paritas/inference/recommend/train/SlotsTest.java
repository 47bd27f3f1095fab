/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.inference.recommend.LocalSpark;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void tooFewAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new Slots(3, 1, 2).await(LocalSpark.session().sparkContext(), Duration.ofMillis(1)))
                .withMessage(
                        "training with 3 servers, 1 spares and 2 workers must have 6 slots, got 4 after 1 ms: give the"
                                + " application more executors (spark.dynamicAllocation.minExecutors, where it is dynamic) or cores, or more"
                                + " time with spark.paritas.ecrm.slotsTimeout or waitFor of the trainer, or"
                                + " train with fewer");
    }

    @Test
    void executorsThatComeLaterCount() throws InterruptedException {
        Iterator<Integer> found = List.of(0, 5, 6).iterator();
        new Slots(3, 1, 2).await(found::next, Duration.ofMinutes(1));
        assertThat(found).isExhausted();
    }
}
