/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultTest {
    @Test
    void readsOneOptionAtMost() {
        assertThat(Fault.parse(List.of())).isEqualTo(Fault.NONE).hasToString("without trouble");
        assertThat(Fault.parse(List.of("--straggler", "2.5"))).hasToString("with a task that sleeps 2.5 s");
        assertThat(Fault.parse(List.of("--kill"))).hasToString("with an executor that is killed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--straggler", "--straggler x", "--straggler -1", "--kill --straggler 1", "--once"})
    void refusesOthers(String options) {
        assertThatThrownBy(() -> Fault.parse(List.of(options.split(" "))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the options are [--straggler SECONDS | --kill], got " + options);
    }
}
