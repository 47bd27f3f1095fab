/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final Progress progress =
            new Progress(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));

    private void await(String... missing) throws Exception {
        var looks = List.of(missing).iterator();
        progress.step("rebuild", () -> {
            progress.await(LIMIT, "Try again", () -> looks.hasNext() ? Optional.of(looks.next()) : Optional.empty());
            return null;
        });
    }

    @Test
    void whatAdvancesMayTakeLongerThanTheLimit() throws Exception {
        await("6 to go", "5 to go", "4 to go", "3 to go", "2 to go", "1 to go");
    }

    @Test
    void whatDoesNotAdvanceFails() {
        assertThatExceptionOfType(CheckFailed.class)
                .isThrownBy(() -> await("2 to go", "1 to go", "1 to go", "1 to go", "1 to go", "1 to go", "1 to go"))
                .withMessage("rebuild must advance every 1 s, and has not: 1 to go. Try again");
    }
}
