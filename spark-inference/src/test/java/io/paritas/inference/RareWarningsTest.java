/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RareWarningsTest {
    private static final long SECOND = 1_000_000_000;
    private static final String NAME = "io.paritas.test.warnings";

    private final AtomicLong now = new AtomicLong();
    private final RareWarnings warnings = new RareWarnings(LoggerFactory.getLogger(NAME), now::get);

    @Test
    void theFirstOfEachKindIsLoggedAndThenOneInTenSeconds() {
        long start = Long.MAX_VALUE - 5 * SECOND; // clocks overflow
        try (Logged log = new Logged(NAME)) {
            warn("a", "a 1", start);
            warn("a", "a 2", start + SECOND);
            warn("b", "b {} 1", start + SECOND);
            warn("a", "a 3", start + 10 * SECOND - 1);
            warn("a", "a 4", start + 10 * SECOND);
            warn("a", "a 5", start + 20 * SECOND);

            assertThat(log.lines())
                    .containsExactly(
                            "WARN a 1",
                            "DEBUG a 2",
                            "WARN b {} 1",
                            "DEBUG a 3",
                            "WARN a 4 (and 2 more since the last one, logged as DEBUG)",
                            "WARN a 5");
        }
    }

    private void warn(String kind, String text, long time) {
        now.set(time);
        warnings.warn(kind, text);
    }
}
