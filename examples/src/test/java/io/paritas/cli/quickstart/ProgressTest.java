/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.cli.quickstart.Progress.Condition;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final Progress progress =
            new Progress(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));

    private void await(long... missing) throws Exception {
        var looks = LongStream.of(missing).iterator();
        progress.step("rebuild", () -> {
            progress.await(LIMIT, "Try again", new Condition("to go", () -> looks.hasNext() ? looks.next() : 0));
            return null;
        });
    }

    @Test
    void whatAdvancesMayTakeLongerThanTheLimit() throws Exception {
        await(6, 5, 4, 3, 2, 1);
    }

    @Test
    void whatDoesNotAdvanceFails() {
        assertThatExceptionOfType(CheckFailed.class)
                .isThrownBy(() -> await(2, 1, 1, 1, 1, 1, 1))
                .withMessage("rebuild must advance every 1 s, and has not: 1 to go. Try again");
    }

    /** As where a DataNode is declared dead and comes back. */
    @Test
    void whatGoesUpAndDownDoesNotAdvance() {
        assertThatExceptionOfType(CheckFailed.class)
                .isThrownBy(() -> await(2, 1, 2, 1, 2, 1, 2, 1, 2, 1))
                .withMessageMatching("rebuild must advance every 1 s, and has not: [12] to go\\. Try again");
    }
}
