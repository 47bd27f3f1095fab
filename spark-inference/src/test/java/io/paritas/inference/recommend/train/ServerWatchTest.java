/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.host.ServerState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerWatchTest {
    private final List<String> events = new ArrayList<>();
    private final ServerWatch watch =
            new ServerWatch(3, state(List.of("3"), List.of(), 0, true), (kind, text) -> events.add(text));

    private static ServerState state(List<String> lost, List<String> executors, int replaced, boolean healthy) {
        return new ServerState(executors, lost, replaced, 0, healthy, 1);
    }

    @Test
    void eachEventIsToldOnce() {
        watch.look(state(List.of("3"), List.of("7", "8", "9"), 0, true));
        assertThat(events).isEmpty();
        watch.look(state(List.of("3", "8"), List.of("7", "9"), 0, false));
        watch.look(state(List.of("3", "8"), List.of("7", "9"), 0, false));
        watch.look(state(List.of("3", "8"), List.of("7", "4", "9"), 1, false));
        watch.look(state(List.of("3", "8"), List.of("7", "4", "9"), 1, true));
        watch.look(state(List.of("3", "8"), List.of("7", "4", "9"), 1, true));
        assertThat(events)
                .containsExactly(
                        "a server is lost: executor 8",
                        "another task has taken its place",
                        "all servers are recovered");
    }

    @Test
    void aReplacementThatWasFasterThanALookIsALossToo() {
        watch.look(state(List.of("3", "8"), List.of("7", "4", "9"), 1, true));
        watch.look(state(List.of("3", "8", "9"), List.of("7", "4", "5"), 2, true));
        assertThat(events)
                .containsExactly(
                        "a server is lost: executor 8",
                        "another task has taken its place",
                        "all servers are recovered",
                        "a server is lost: executor 9",
                        "another task has taken its place",
                        "all servers are recovered");
    }

    /** Without redundancy, the loss of one server takes all of them back to a checkpoint, and none is up for a while. */
    @Test
    void serversThatGoBackToACheckpointAreNotLost() {
        watch.look(state(List.of("3", "8"), List.of(), 0, false));
        watch.look(state(List.of("3", "8"), List.of("4"), 1, false));
        watch.look(state(List.of("3", "8"), List.of("4", "7", "9"), 3, true));
        assertThat(events)
                .containsExactly(
                        "a server is lost: executor 8",
                        "another task has taken its place",
                        "all servers are recovered");
    }

    @Test
    void serversThatAreLostAtOnceAreNamedTogether() {
        watch.look(state(List.of("3", "8", "9"), List.of("7"), 0, false));
        watch.look(state(List.of("3", "8", "9", "7"), List.of(), 0, false));
        assertThat(events).containsExactly("a server is lost: executor 8, 9", "a server is lost: executor 7");
    }
}
