/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

/**
 * Which two servers have a block of the neural network (thesis 5.3.3).
 *
 * @param servers S, at least 2
 */
public record ReplicaPlacement(int servers) {
    public ReplicaPlacement {
        if (servers < 2) {
            throw new IllegalArgumentException("Two replicas need two servers, but there are " + servers);
        }
    }

    /** @param replica 0 or 1 */
    public int server(int block, int replica) {
        return (block + replica) % servers;
    }

    /** The other server of a block. */
    public int other(int block, int server) {
        return server == server(block, 0) ? server(block, 1) : server(block, 0);
    }

    public boolean has(int server, int block) {
        return server == server(block, 0) || server == server(block, 1);
    }
}
