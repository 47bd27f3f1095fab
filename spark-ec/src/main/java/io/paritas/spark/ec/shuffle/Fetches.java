/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.job.DaemonThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.network.shuffle.BlockFetchingListener;

/** Fetches that begin on threads of their own: who connects to a host that is down waits for {@code spark.network.timeout}. */
final class Fetches {
    private static final ExecutorService THREADS =
            Executors.newCachedThreadPool(DaemonThreads.named("paritas-shuffle-fetch"));

    private Fetches() {}

    /**
     * Begins a fetch, and returns at once.
     *
     * @param ids blocks that cannot be fetched if it fails to begin
     */
    static void begin(String[] ids, BlockFetchingListener listener, Runnable fetch) {
        THREADS.execute(() -> {
            try {
                fetch.run();
            } catch (Throwable e) { // Nobody else would tell the listener.
                for (String id : ids) {
                    listener.onBlockFetchFailure(id, e);
                }
            }
        });
    }
}
