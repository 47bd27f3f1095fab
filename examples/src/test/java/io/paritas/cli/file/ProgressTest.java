/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A task whose log somebody reads in the morning. */
class ProgressTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong(17);
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(bytes, true, UTF_8);

    private String log(int seconds, int stepsInASecond) {
        long total = 3000L << 20;
        int steps = seconds * stepsInASecond;
        try (Progress progress = Progress.lines("encode", total, err, clock::get)) {
            for (int i = 0; i < steps; i++) {
                clock.addAndGet(SECOND / stepsInASecond);
                progress.advance(total / steps);
            }
        }
        return bytes.toString(UTF_8);
    }

    @Test
    void aLineEveryTenSeconds() {
        assertThat(log(30, 10)).isEqualToNormalizingNewlines("""
                        encode: 33 % of 3,000 MiB after 10 s
                        encode: 66 % of 3,000 MiB after 20 s
                        encode: 100 % of 3,000 MiB after 30 s
                        """);
    }

    @Test
    void aLineForATenthOfALongTask() {
        assertThat(log(1000, 1).lines())
                .hasSize(10)
                .startsWith("encode: 10 % of 3,000 MiB after 100 s", "encode: 20 % of 3,000 MiB after 200 s");
    }

    @Test
    void noLineForAShortTask() {
        assertThat(log(9, 10)).isEmpty();
    }
}
