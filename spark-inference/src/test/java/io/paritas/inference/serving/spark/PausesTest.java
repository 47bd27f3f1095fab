/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PausesTest {
    private static long millis(Pauses pauses, boolean changed) {
        return TimeUnit.NANOSECONDS.toMillis(pauses.next(changed));
    }

    @Test
    void pausesGrowUntilSomethingChanges() {
        Pauses pauses = new Pauses(() -> 0.5);

        assertThat(Stream.of(true, false, false, false, false, false, false, false, true, false)
                        .map(changed -> millis(pauses, changed)))
                .containsExactly(200L, 300L, 450L, 675L, 1012L, 1518L, 2000L, 2000L, 200L, 300L);
    }

    @Test
    void clientsThatBeganTogetherDoNotAskTogether() {
        assertThat(millis(new Pauses(() -> 0), true)).isEqualTo(150);
        assertThat(millis(new Pauses(() -> 1), true)).isEqualTo(250);
    }
}
