/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.spark.ecrm.host.ServerState;
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
     * @param before their state before those that are looked at
     */
    ServerWatch(int servers, ServerState before, BiConsumer<Kind, String> events) {
        this.servers = servers;
        this.lost = before.lost().size();
        this.replaced = before.replaced();
        this.events = events;
    }

    /** Compares a state with the last one. */
    void look(ServerState state) {
        if (state.lost().size() > lost) {
            List<String> gone = state.lost().subList(lost, state.lost().size());
            lost = state.lost().size();
            missing = true;
            recovering = true;
            events.accept(Kind.SERVER_LOST, "a server is lost: executor " + String.join(", ", gone));
        }
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
