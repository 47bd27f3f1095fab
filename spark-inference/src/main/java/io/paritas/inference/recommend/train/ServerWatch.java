/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.inference.recommend.train.TrainingProgress.ServerState;
import java.util.List;
import java.util.function.BiConsumer;

/** Derives events from successive states of the servers. Not thread-safe. */
final class ServerWatch {
    private final BiConsumer<Kind, String> events;
    private final int servers;
    private int lost;
    private int replaced;
    private boolean missing;
    private boolean recovering;

    /**
     * @param servers number of servers
     * @param lost servers that had been lost before
     * @param replaced how many of them had been replaced
     */
    ServerWatch(int servers, int lost, int replaced, BiConsumer<Kind, String> events) {
        this.servers = servers;
        this.lost = lost;
        this.replaced = replaced;
        this.events = events;
    }

    /**
     * Compares a state with the last one.
     *
     * @param executors of all servers that have been lost so far, in that order. Those that go back to a checkpoint are not among them
     * @param state as it was then or later
     */
    void look(List<String> executors, ServerState state) {
        if (executors.size() > lost) {
            List<String> gone = executors.subList(lost, executors.size());
            lost = executors.size();
            missing = true;
            recovering = true;
            events.accept(Kind.SERVER_LOST, "a server is lost: executor " + String.join(", ", gone));
        }
        // A state that knows of a replacement already, where the list knows of no loss yet, is told by the next look.
        if (missing && state.replaced() > replaced && state.executors().size() == servers) {
            replaced = state.replaced();
            missing = false;
            events.accept(Kind.SERVER_REPLACED, "another task has taken its place");
        }
        if (recovering && !missing && state.isHealthy()) {
            recovering = false;
            events.accept(Kind.RECOVERED, "all servers are recovered");
        }
    }
}
