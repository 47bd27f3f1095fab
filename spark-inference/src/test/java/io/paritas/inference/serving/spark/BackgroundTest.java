/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundTest {
    @Test
    void whoWaitsIsToldOfAnError() throws Exception {
        assertThat(Background.call("good", () -> 7).get(10, TimeUnit.SECONDS)).isEqualTo(7);
        assertThatThrownBy(() -> Background.call("deep", () -> {
                            throw new StackOverflowError("too deep");
                        })
                        .get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(StackOverflowError.class)
                .hasMessage("too deep");
    }

    @Test
    void whoWaitsIsToldThatThereIsNoThread() {
        Executor none = task -> {
            throw new OutOfMemoryError("unable to create native thread");
        };
        assertThat(Background.call(none, () -> 7))
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOf(OutOfMemoryError.class)
                .withMessage("unable to create native thread");
    }
}
