/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.spark.ec.LocalSpark;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void tooFewAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new Slots(3, 1, 2).await(LocalSpark.session().sparkContext(), 1))
                .withMessage(
                        "Training with 3 servers, 1 spares and 2 workers takes 6 slots, and after 1 ms the application has"
                                + " 2: give it more executors or cores, or train with fewer");
    }

    @Test
    void executorsThatComeLaterCount() throws InterruptedException {
        Iterator<Integer> found = List.of(0, 5, 6).iterator();
        new Slots(3, 1, 2).await(found::next, 60_000);
        assertThat(found).isExhausted();
    }
}
