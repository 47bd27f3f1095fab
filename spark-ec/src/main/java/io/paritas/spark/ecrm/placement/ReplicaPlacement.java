/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Which servers have a block of the neural network (thesis 5.3.3).
 *
 * @param servers S, at least as many as copies
 * @param copies of a block, 1 or 2
 */
public record ReplicaPlacement(int servers, int copies) {
    public ReplicaPlacement {
        if (copies < 1 || copies > 2 || servers < copies) {
            throw new IllegalArgumentException("A block is on one server or two, and there are so many, but " + copies
                    + " copies are wanted on " + servers + " servers");
        }
    }

    /** The servers that have a block. */
    public int[] servers(int block) {
        return IntStream.range(0, copies).map(copy -> (block + copy) % servers).toArray();
    }

    /** The other server of a block; empty if there is only one. */
    public OptionalInt other(int block, int server) {
        return Arrays.stream(servers(block)).filter(one -> one != server).findFirst();
    }

    public boolean has(int server, int block) {
        return Arrays.stream(servers(block)).anyMatch(one -> one == server);
    }
}
