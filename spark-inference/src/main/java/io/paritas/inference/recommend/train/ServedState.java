/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import java.io.Serializable;

/**
 * What servers have until they go back to a checkpoint: what was read before and what is read after do not belong together.
 *
 * @param rollbacks how often they have gone back
 */
record ServedState(ParameterServers.Location servers, int rollbacks) implements Serializable {
    /**
     * Connects a client, which reads this state only.
     *
     * @param worker as of {@link ParameterClient#connect}
     * @throws IllegalStateException if the servers have gone back to a checkpoint
     */
    ParameterClient connect(int worker) throws InterruptedException {
        ParameterClient client = ParameterClient.connect(servers, worker);
        if (client.rollbacks() != rollbacks) {
            client.close();
            throw new IllegalStateException("servers must have the trained model, but they have gone back to the last"
                    + " checkpoint since the training: continue it with resume(folder of the checkpoints)");
        }
        return client;
    }
}
