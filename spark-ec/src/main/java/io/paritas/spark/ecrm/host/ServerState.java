/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.PublicApi;
import java.util.List;

/**
 * The state of parameter servers at one moment. It is some 100 ms old.
 *
 * @param executors ids of the executors of the servers that are up, in the order of the servers' numbers
 * @param lost the executor of each server that has failed, in that order; servers that go back to a checkpoint have not failed
 * @param replaced how many servers have been replaced
 * @param rollbacks how often all servers have gone back to a checkpoint
 * @param isHealthy whether all servers are up and none is recovering
 * @param recovered the share of its units that a server has recovered, from 0 to 1: the least of all servers. 0 while a server is down,
 *     1 if all are healthy
 */
@PublicApi
public record ServerState(
        List<String> executors, List<String> lost, int replaced, int rollbacks, boolean isHealthy, double recovered) {
    /** Copies the lists. */
    public ServerState {
        executors = List.copyOf(executors);
        lost = List.copyOf(lost);
    }
}
