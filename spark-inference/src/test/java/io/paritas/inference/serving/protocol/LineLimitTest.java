/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LineLimitTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // as nanoTime may be
    private final LineLimit limit = new LineLimit(now::get);

    private void pass(long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private void use(int lines) {
        for (int i = 0; i < lines; i++) {
            assertThat(limit.next()).hasValue(0);
        }
    }

    @Test
    void afterManyThereIsOneEachSecondAndItSaysHowManyWereLeftOut() {
        use(100);
        assertThat(limit.next()).isEmpty();
        assertThat(limit.next()).isEmpty();

        pass(1);
        assertThat(limit.next()).hasValue(2);
        assertThat(limit.next()).isEmpty();

        pass(3);
        assertThat(limit.next()).hasValue(1);
        use(2);
        assertThat(limit.next()).isEmpty();
    }

    @Test
    void aLongTimeDoesNotAddUp() {
        use(100);
        pass(1_000_000);

        use(100);
        assertThat(limit.next()).isEmpty();
    }
}
