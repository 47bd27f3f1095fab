/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RaceTest {
    private final Stripe stripe = Stripe.random(new CodeParameters(3, 2), 1000);
    private final Coder right = Coder.available().get(0);

    @ParameterizedTest
    @EnumSource
    void measuresCodersThatCode(Operation operation) throws IOException {
        List<Race.Result> results = new Race(stripe, operation, List.of(right, right)).run(Duration.ZERO);
        assertThat(results).hasSize(2).allMatch(result -> result.gigabytesPerSecond() > 0);
        assertThat(results.get(0).ratio()).isEqualTo(1);
    }

    /** It runs after a coder that leaves the right bytes behind. */
    @ParameterizedTest
    @EnumSource
    void refusesACoderThatDoesNothing(Operation operation) throws IOException {
        Coder idle = new Coder("idle", ignored -> new Coder.OnStripe() {
            @Override
            public void encode() {}

            @Override
            public void decode(int erased) {}
        });
        Race race = new Race(stripe, operation, List.of(right, idle));
        assertThatThrownBy(() -> race.run(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("A coder computes wrong bytes at: " + operation.title + ", (3,2)");
    }
}
