/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which servers keep a replica of which block (thesis, 5.3.3).
 *
 * @param servers number of servers, at least {@code copies}
 * @param copies replicas of a block, 1 to 3
 */
@PublicApi
public record ReplicaPlacement(int servers, int copies) {
    public ReplicaPlacement {
        if (copies < 1 || copies > 3 || servers < copies) {
            throw new IllegalArgumentException("copies of a block must be 1 to 3, and at most as many as servers, got "
                    + copies + " on " + servers + " servers");
        }
    }

    /** Returns the servers with a replica of a block. */
    public int[] servers(int block) {
        return IntStream.range(0, copies).map(copy -> (block + copy) % servers).toArray();
    }

    /** Whether a server has a replica of a block. */
    public boolean has(int server, int block) {
        return Arrays.stream(servers(block)).anyMatch(one -> one == server);
    }
}
