/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import io.paritas.spark.ecrm.train.TrainingEvent.Kind;
import java.util.List;
import java.util.function.BiConsumer;

/** Makes events of what the servers are like now and then. Not thread-safe. */
final class ServerWatch {
    private final BiConsumer<Kind, String> events;
    private List<String> executors;
    private int replaced;
    private boolean missing;
    private boolean recovering;

    /** @param executors by server, all of them */
    ServerWatch(List<String> executors, BiConsumer<Kind, String> events) {
        this.executors = executors;
        this.events = events;
    }

    /** As of now. */
    void look(List<String> found, int foundReplaced, boolean healthy) {
        if (found.size() < executors.size() && !missing) {
            lost(found);
        }
        if (foundReplaced > replaced && found.size() == executors.size()) {
            if (!missing) {
                lost(found);
            }
            events.accept(Kind.SERVER_REPLACED, "another task has taken its place");
            replaced = foundReplaced;
            executors = found;
            missing = false;
        }
        if (recovering && !missing && healthy) {
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
                gone.isEmpty() ? "a server is lost" : "a server is lost: that on executor " + String.join(", ", gone));
    }
}
