/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.load.Delays.Delay;
import org.junit.jupiter.api.Test;

class DelaysTest {
    private final Delays delays = new Delays();

    @Test
    void waitsForConnectionsAreNotTheGeneratorsFault() {
        assertThat(delays.next(10, 10, 100)).isEqualTo(new Delay(0, 90));
        // Those due meanwhile have their turn only then.
        assertThat(delays.next(30, 100, 100)).isEqualTo(new Delay(0, 70));
        assertThat(delays.next(90, 100, 110)).isEqualTo(new Delay(0, 20));
        assertThat(delays.next(200, 200, 200)).isEqualTo(new Delay(0, 0));
    }

    @Test
    void aSlowGeneratorIsLateAndGetsLater() {
        assertThat(delays.next(10, 15, 15)).isEqualTo(new Delay(5, 0));
        assertThat(delays.next(11, 30, 30)).isEqualTo(new Delay(19, 0));
        assertThat(delays.next(12, 45, 45)).isEqualTo(new Delay(33, 0));
    }

    @Test
    void bothAreToldApart() {
        assertThat(delays.next(0, 0, 50)).isEqualTo(new Delay(0, 50));
        assertThat(delays.next(10, 57, 60)).isEqualTo(new Delay(7, 43));
    }
}
