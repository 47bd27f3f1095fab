/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.examples.Run;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
    @Test
    void printsOneRowPerCodeAndOperation() {
        Run run = Run.paritas("bench", "--code", "3-2,4-2", "--unit", "1000", "--seconds", "0.02");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("units of 1,000 bytes")
                .contains("rs_java")
                .contains("plain");
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.matches("\\([34],2\\) +(encode|decode .*) +[0-9.]+ \\( ?1.0x\\).*")))
                .hasSize(6);
    }

    @Test
    void aBadCodeIsExplained() {
        assertThat(Run.paritas("bench", "--code", "rs63").err()).contains("a code is K-R, such as 6-3; got 'rs63'");
        assertThat(Run.paritas("bench", "--code", "0-3").err()).contains("k = 0, r = 3");
        assertThat(Run.paritas("bench", "--code", "rs63").status()).isEqualTo(2);
    }
}
