/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.inference.recommend.train.TrainingProgress.ServerState;
import java.util.List;
import java.util.function.BiConsumer;

/** Derives events from successive states of the servers. Not thread-safe. */
final class ServerWatch {
    private final BiConsumer<Kind, String> events;
    private List<String> executors;
    private int replaced;
    private boolean missing;
    private boolean recovering;

    /** @param executors executors of all servers, in the order of the servers */
    ServerWatch(List<String> executors, BiConsumer<Kind, String> events) {
        this.executors = executors;
        this.events = events;
    }

    /** Compares a state with the last one. */
    void look(ServerState state) {
        List<String> found = state.executors();
        if (found.size() < executors.size() && !missing) {
            lost(found);
        }
        if (state.replaced() > replaced && found.size() == executors.size()) {
            if (!missing) {
                lost(found);
            }
            events.accept(Kind.SERVER_REPLACED, "another task has taken its place");
            replaced = state.replaced();
            executors = found;
            missing = false;
        }
        if (recovering && !missing && state.isHealthy()) {
            recovering = false;
            events.accept(Kind.RECOVERED, "all servers are recovered");
        }
    }

    private void lost(List<String> found) {
        missing = true;
        recovering = true;
        List<String> gone =
                executors.stream().filter(executor -> !found.contains(executor)).toList();
        events.accept(
                Kind.SERVER_LOST,
                gone.isEmpty() ? "a server is lost" : "a server is lost: executor " + String.join(", ", gone));
    }
}
