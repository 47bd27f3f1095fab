/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import org.apache.spark.storage.BlockManagerId;

/**
 * The location of a map output that has lost its executor and can be decoded. It names the executor, as one that never was, so
 * that readers do not connect to it: to connect to a host that is down may take minutes.
 */
final class LostLocation {
    private static final String PREFIX = "lost-";

    private LostLocation() {}

    static BlockManagerId of(BlockManagerId executor) {
        return BlockManagerId.apply(
                PREFIX + executor.executorId(), executor.host(), executor.port(), executor.topologyInfo());
    }

    static boolean is(BlockManagerId location) {
        return is(location.executorId());
    }

    static boolean is(String executor) {
        return executor.startsWith(PREFIX);
    }
}
