/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import java.util.List;
import java.util.stream.Collectors;

/**
 * How far servers are on their way up.
 *
 * @param servers number of servers
 * @param spares number of further tasks
 * @param registered tasks that wait to be appointed
 * @param down servers whose place nobody has
 * @param building servers that have not their whole state; neither these nor {@code down} before the first appointments
 * @param failure why the last task that failed has failed; empty if none has
 */
record StartProgress(
        int servers, int spares, int registered, List<Integer> down, List<Integer> building, String failure) {
    /** Says what is missing, and what to do. */
    String missing() {
        return what() + (failure.isEmpty() ? "" : "; the last task that failed: " + failure);
    }

    private String what() {
        int tasks = servers + spares;
        if (!down.isEmpty()) {
            return numbers(down) + " have failed, and no task takes their places: see the executors' logs, or give the"
                    + " application more free slots";
        }
        if (!building.isEmpty()) {
            return numbers(building) + " are still building their parts: give them more time, with"
                    + " spark.paritas.ecrm.startTimeout if they are those of a training, or use more servers";
        }
        return registered < tasks
                ? "got " + registered + " of " + tasks + " tasks at once, for " + servers + " servers and " + spares
                        + " spares: give the application as many free slots, or more time"
                : "all " + tasks + " tasks have started, but a better place is expected for some: give each of "
                        + servers + " servers an executor of its own, or set spark.paritas.ecrm.placementTimeout to"
                        + " less";
    }

    private String numbers(List<Integer> which) {
        return "servers " + which.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " of " + servers;
    }
}
